"""`zom rules`: every rule that zom checks, by code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, USAGE, CommandError

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("pattern", nargs="?", default="*", metavar="PATTERN", help="such as 'codec/*'")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how rules are shown")


def run(arguments: argparse.Namespace) -> int:
    """Prints the rules whose code matches."""
    import json  # noqa: PLC0415 - as the others: --help needs none of them
    from dataclasses import asdict  # noqa: PLC0415 - slow to import
    from fnmatch import fnmatchcase  # noqa: PLC0415 - slow to import

    import zom  # noqa: PLC0415 - slow to import

    found = [rule for code, rule in zom.rules().items() if fnmatchcase(code, arguments.pattern)]
    if not found:
        message = f"no rule has a code like {arguments.pattern!r}; zom rules lists all of them"
        raise CommandError(message, USAGE)
    if arguments.format == "json":
        print(json.dumps([asdict(rule) for rule in found], indent=2, ensure_ascii=False))
        return CLEAN
    width = max(len(rule.code) for rule in found)
    for rule in found:
        print(f"{rule.code:<{width}}  {rule.text}")
    return CLEAN
