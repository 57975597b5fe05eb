"""`zom repair`: finish or undo interrupted changes of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.printing import say_data, say_lines, tell

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("store", metavar="STORE", help="a directory, a zip or SQLite file, or a writable URL")
    parser.add_argument(
        "--on-conflict",
        choices=["refuse", "replace"],
        default="refuse",
        help="if a document was changed since: do nothing (the default), or apply the interrupted change",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be done without writing anything"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Repair, and print what was done; with --dry-run, return FINDINGS if there is anything to repair."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.hierarchy.journal.repair import plan_repair, repair  # noqa: PLC0415 - slow to import
    from zom.json.write import ascii_json  # noqa: PLC0415 - --help does not need it

    place = store_at(arguments.store)
    act = plan_repair if arguments.dry_run else repair
    with place.opened(write=not arguments.dry_run) as store:
        done = act(store, place.path, on_conflict=arguments.on_conflict)
    if arguments.format == "json":
        say_data(ascii_json([each.to_dict() for each in done], indent=2))
    else:
        for each in done:
            say_lines(str(each))
    if not done:
        tell(f"{place.name}: no change was interrupted")
    return FINDINGS if done and arguments.dry_run else CLEAN
