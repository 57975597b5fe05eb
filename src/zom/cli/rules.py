"""`zom rules`: list every rule that zom checks, by code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN, USAGE, CommandError
from zom.cli.printing import say, say_data

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "pattern",
        nargs="?",
        default="*",
        metavar="PATTERN",
        help="show only matching rules, such as codec, ome/0.5 or 'ome/axis*'",
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Print the rules whose code matches."""
    from fnmatch import fnmatchcase  # noqa: PLC0415 - slow to import

    from zom.json.write import facts_json  # noqa: PLC0415 - --help does not need it

    known = [*_own(), *_of_conventions()]
    # The beginning of a code, or a convention with its version, is a pattern, too: "cf" is "cf/*".
    pattern = arguments.pattern
    found = [
        each
        for each in known
        if fnmatchcase(each["code"], pattern)
        or each["code"].startswith(f"{pattern}/")
        or each.get("convention") == pattern
    ]
    if not found:
        message = f"no rule matches {arguments.pattern!r}; run zom rules for the list"
        raise CommandError(message, USAGE)
    if arguments.format == "json":
        say_data(facts_json(found, indent=2))
        return CLEAN
    # Versions of a convention share most rules: print equal lines once.
    lines = dict.fromkeys((each["code"], each["text"]) for each in found)
    width = max(len(code) for code, _ in lines)
    for code, text in lines:
        say(f"{code:<{width}}  {text}")
    return CLEAN


def _own() -> list[dict[str, Any]]:
    """The rules of zom and of installed extensions, as JSON."""
    from dataclasses import asdict  # noqa: PLC0415 - slow to import

    import zom  # noqa: PLC0415 - slow to import

    zom.load_extensions()  # importing them registers their rules
    return [asdict(rule) for rule in zom.rules().values()]


def _of_conventions() -> list[dict[str, Any]]:
    """The rules of conventions, as their schemas publish them."""
    from zom.conventions import conventions  # noqa: PLC0415 - slow to import

    return [
        {"code": code, "convention": convention.name, **_without_id(rule.to_dict(code))}
        for convention in sorted(conventions, key=lambda each: each.name)
        for code, rule in convention.codes()
    ]


def _without_id(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name != "id"}
