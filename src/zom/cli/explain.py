"""`zom explain`: the sentence behind the code of a problem, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from zom.cli.outcome import CLEAN, USAGE, CommandError

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("code", metavar="CODE", help="as it stands after a problem: codec/transpose-order")


def run(arguments: argparse.Namespace) -> int:
    """Prints the rule."""
    import zom  # noqa: PLC0415 - slow to import
    from zom.model.registry import near  # noqa: PLC0415 - slow to import
    from zom.problems import Level  # noqa: PLC0415 - slow to import

    known = zom.rules()
    rule = known.get(arguments.code)
    if rule is None:
        hint = near(arguments.code, list(known)) or "zom rules lists all of them"
        message = f"no rule has the code {arguments.code!r}; {hint}"
        raise CommandError(message, USAGE)
    levels: tuple[Level, ...] = get_args(Level)
    severities = ", ".join(f"{level}: {rule.severity(level) or 'allowed'}" for level in levels)
    print(rule.code)
    print(f"  rule         {rule.text}")
    print(f"  source       {rule.source}")
    print(f"  severity     {severities}")
    print(f"  JSON Schema  {'can' if rule.schema else 'can not'} express it")
    return CLEAN
