"""`zom consolidate`: consolidated metadata, written or dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN
from zom.cli.printing import say, say_data

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument(
        "store", metavar="STORE", help="a directory, a zip or SQLite file, or a URL that can be written"
    )
    parser.add_argument("--drop", action="store_true", help="remove it instead")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and write nothing")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how it is shown")


def run(arguments: argparse.Namespace) -> int:
    """Writes or drops it, and says so."""
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
        said = "dropped" if changed else "there is none"
    else:
        said = "written" if changed else "as it should be; nothing was written"
    if changed and arguments.dry_run:
        said = f"would be {said}"
    say(f"{place.name}: consolidated metadata: {said}")
    return CLEAN
