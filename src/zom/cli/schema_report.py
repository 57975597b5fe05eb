"""`zom schema report`: show where rules of conventions are expressed, so that other programs can run them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN, USAGE, CommandError
from zom.cli.printing import say, say_data

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from zom.conventions.framework.convention import Convention
    from zom.conventions.framework.expression import Share

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="CONVENTION",
        help="show each rule of this convention, such as ome/0.5 (default: count the rules of all)",
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Print the shares of all conventions, or the rules of one."""
    if arguments.name is None:
        _shares(arguments.format)
    else:
        for convention in _named(arguments.name):
            _rules(convention, arguments.format)
    return CLEAN


def _named(name: str) -> Sequence[Convention]:
    from zom.conventions import conventions  # noqa: PLC0415 - slow to import
    from zom.errors import UnknownName  # noqa: PLC0415 - as above

    try:
        return conventions.of_id(name.removeprefix("convention/"))
    except UnknownName as error:
        raise CommandError(str(error), USAGE) from None


def _shares(form: str) -> None:
    from zom.conventions import conventions  # noqa: PLC0415 - slow to import
    from zom.conventions.framework.expression import share_of  # noqa: PLC0415 - as above
    from zom.json.write import ascii_json  # noqa: PLC0415 - --help needs none of them

    found = [share_of(each) for each in sorted(conventions, key=lambda each: each.name)]
    if form == "json":
        say_data(ascii_json([_facts(share) for share in found], indent=2))
        return
    width = max(len(share.convention) for share in found)
    say(f"{'convention':<{width}}  rules  schema  x-zom-rules  documentation  portable")
    for share in found:
        counts = f"{share.rules:>5}  {share.schema:>6}  {share.checks:>11}  {share.documentation:>13}"
        say(f"{share.convention:<{width}}  {counts}  {share.portable:>8.0%}")


def _facts(share: Share) -> dict[str, Any]:
    return {
        "convention": share.convention,
        "rules": share.rules,
        "schema": share.schema,
        "x-zom-rules": share.checks,
        "documentation": share.documentation,
        "portable": round(share.portable, 3),
    }


def _rules(convention: Convention, form: str) -> None:
    from zom.conventions.framework.expression import listed  # noqa: PLC0415 - as above
    from zom.json.write import facts_json  # noqa: PLC0415 - as above

    rules = listed(convention)
    if form == "json":
        say_data(facts_json(rules, indent=2))
        return
    width = max((len(rule["id"]) for rule in rules), default=0)
    say(f"{convention.name}:")
    # Print a rule with several checks once per place.
    lines = dict.fromkeys((rule["expressed_in"], rule["level"], rule["id"], rule["text"]) for rule in rules)
    for place, level, code, text in lines:
        say(f"  {place:<13}  {level:<6}  {code:<{width}}  {text}")
