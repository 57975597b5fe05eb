"""`zom rename`: move a node and everything below it to another path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.create import show_change
from zom.cli.outcome import USAGE, CommandError

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("node", metavar="STORE::a/b", help="the node")
    parser.add_argument("new", metavar="c/d", help="its new path in the store")
    parser.add_argument("--dry-run", action="store_true", help="show the plan without writing anything")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Plan the move and apply it; on conflicts, write nothing and return FINDINGS."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.handles.changes import plan_rename  # noqa: PLC0415 - slow to import

    place = store_at(arguments.node)
    if not place.path:
        raise CommandError(f"{place.name}: name a node as {place.name}::a/b", USAGE)
    with place.opened(write=not arguments.dry_run) as store:
        return show_change(arguments, place, plan_rename(store, place.path, arguments.new))
