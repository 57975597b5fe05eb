"""`zom repair`: interrupted changes of a store, finished or undone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS

if TYPE_CHECKING:
    import argparse

    from zom.stores.interface import Store

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument(
        "store", metavar="STORE", help="a directory, a zip or SQLite file, or a URL that can be written"
    )
    parser.add_argument(
        "--on-conflict",
        choices=["refuse", "replace"],
        default="refuse",
        help="what is done where somebody has changed a document since: nothing (the default), or what the "
        "interrupted change wanted",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="name the interrupted changes, and write nothing"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how it is shown")


def run(arguments: argparse.Namespace) -> int:
    """Repairs, and says what was done; with --dry-run FINDINGS where there is anything to repair."""
    import json  # noqa: PLC0415 - as the others: --help needs none of them

    from zom.cli.place import store_at  # noqa: PLC0415 - slow to import
    from zom.hierarchy.repair import repair  # noqa: PLC0415 - slow to import

    place = store_at(arguments.store)
    with place.opened(write=not arguments.dry_run) as store:
        if arguments.dry_run:
            done = [(path, "interrupted") for path in _interrupted(store, place.path)]
        else:
            repaired = repair(store, place.path, on_conflict=arguments.on_conflict)
            done = [(each.path, str(each.outcome)) for each in repaired]
    if arguments.format == "json":
        print(json.dumps([{"path": path, "outcome": outcome} for path, outcome in done], indent=2))
    else:
        print(*(f"{path}: {outcome}\n" for path, outcome in done), sep="", end="")
    if not done:
        print(f"{place.name}: no change was interrupted", file=sys.stderr)
    return FINDINGS if done and arguments.dry_run else CLEAN


def _interrupted(store: Store, path: str) -> list[str]:
    """The topmost nodes of the changes that were interrupted, or are under way."""
    from zom.hierarchy.journal import JOURNAL, Journal, journal_keys  # noqa: PLC0415 - slow to import

    keys = dict.fromkeys(journal_keys(path))
    if store.capabilities.listable:
        below = f"{path.strip('/')}/".lstrip("/")
        keys |= dict.fromkeys(key for key in store.list(below) if key.rpartition("/")[2] == JOURNAL)
    texts = zip(keys, store.get_many(list(keys)), strict=True)
    return sorted(Journal.parse(text, store.url, key).path for key, text in texts if text is not None)
