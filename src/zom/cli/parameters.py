"""The option `--set`, for the parameters of declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import USAGE, CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

__all__ = ["declare_parameters", "parameters_from"]


def declare_parameters(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="parameters",
        help="set a parameter of a declaration, such as days=10; repeatable",
    )


def parameters_from(given: Sequence[str]) -> dict[str, str]:
    """The parameters by name.

    >>> parameters_from(["days=10", "name=a=b"])
    {'days': '10', 'name': 'a=b'}
    """
    found: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not name or not sign:
            raise CommandError(f"--set: expected NAME=VALUE, found {each!r}", USAGE)
        if name in found:
            raise CommandError(f"--set: expected each name once, found {name!r} twice", USAGE)
        found[name] = value
    return found
