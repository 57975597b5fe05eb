"""`zom consolidate`: write or remove consolidated metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN
from zom.cli.printing import say, say_data

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("store", metavar="STORE", help="a directory, a zip or SQLite file, or a writable URL")
    parser.add_argument("--drop", action="store_true", help="remove consolidated metadata instead")
    parser.add_argument(
        "--dry-run", action="store_true", help="report what would be done without writing anything"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Write or drop consolidated metadata, and print the result."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.handles.changes import consolidate, plan_consolidate  # noqa: PLC0415 - slow to import
    from zom.json.write import facts_json  # noqa: PLC0415 - slow to import

    place = store_at(arguments.store)
    work = plan_consolidate if arguments.dry_run else consolidate
    with place.opened(write=not arguments.dry_run) as store:
        plan = work(store, place.path, drop=arguments.drop)
        changed = not plan.is_empty
    if arguments.format == "json":
        facts = {"store": place.store, "path": plan.path, "changed": changed, "dry_run": arguments.dry_run}
        say_data(facts_json(facts, indent=2))
        return CLEAN
    if arguments.drop:
        said = "removed" if changed else "already missing"
    else:
        said = "written" if changed else "up to date; nothing was written"
    if changed and arguments.dry_run:
        said = f"would be {said}"
    say(f"{place.name}: consolidated metadata: {said}")
    return CLEAN
