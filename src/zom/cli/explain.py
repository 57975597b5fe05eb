"""`zom explain`: explain a problem code: its rule, the source of the rule, the fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, USAGE, CommandError
from zom.cli.printing import say_lines

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "code", metavar="CODE", help="the code in brackets after a problem, such as codec/transpose-order"
    )
    parser.add_argument("--convention", metavar="NAME", help="the version of the convention, such as ome/0.4")


def run(arguments: argparse.Namespace) -> int:
    """Print the rule."""
    import zom  # noqa: PLC0415 - slow to import
    from zom.errors import UnknownName  # noqa: PLC0415 - slow to import

    try:
        found = zom.explain(arguments.code, arguments.convention)
    except UnknownName as error:
        raise CommandError(str(error), USAGE) from None
    say_lines(str(found))
    return CLEAN
