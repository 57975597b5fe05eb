"""`zom migrate`: convert a store to another format, and keep chunks that stay valid.

v2 and the draft become v3, v3 becomes v2, in place or in another store; chunks are never decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS, USAGE, CommandError
from zom.cli.printing import say, say_data, say_lines, tell
from zom.cli.terminal import Progress, declare_progress

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager

    from zom.cli.operand import Operand
    from zom.hierarchy.migrate.migration import Migration
    from zom.stores.interface import Store

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("store", metavar="STORE", help="a directory, a zip or SQLite file, or a writable URL")
    parser.add_argument("--to", choices=["v3", "v2"], default="v3", help="the new format (default: v3)")
    parser.add_argument(
        "--in-place", action="store_true", help="convert STORE itself and remove its old documents"
    )
    parser.add_argument(
        "--target", metavar="TARGET", help="create the new hierarchy here and leave STORE unchanged"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show every document that would be written or removed"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")
    declare_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    """Migrate, and print the report; if the format can't express it, write nothing and return FINDINGS."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.cli.validate import problem_parts  # noqa: PLC0415 - slow to import
    from zom.errors import ConversionError  # noqa: PLC0415 - slow to import

    place = store_at(arguments.store)
    try:
        migration = _migrated(arguments, place)
    except CommandError as error:
        if not isinstance(error.__cause__, ConversionError):
            raise
        for problem in error.__cause__.problems:
            say(*problem_parts(place.name, problem))
        message = "nothing was written; to change what can't be converted, use zom copy with --spec"
        tell(f"zom migrate: {place.name}: {message}")
        return FINDINGS
    if arguments.format == "json":
        say_data(migration.to_json(indent=2))
    else:
        say_lines(str(migration))
    return CLEAN


def _migrated(arguments: argparse.Namespace, place: Operand) -> Migration:
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.cli.operand import target_at  # noqa: PLC0415 - slow to import
    from zom.hierarchy.migrate.migrate import migrate  # noqa: PLC0415 - slow to import

    if arguments.target is not None and arguments.in_place:
        raise CommandError(f"{place.name}: expected --in-place or --target, got both", USAGE)
    if arguments.target is None and not arguments.in_place and not arguments.dry_run:
        message = "pass --in-place to convert the store itself, or --target to leave it unchanged"
        raise CommandError(f"{place.name}: {message}", USAGE)
    if arguments.target is None:
        with (
            place.opened(write=not arguments.dry_run) as store,
            Progress("migrating", arguments.progress) as progress,
        ):
            done = migrate(
                store,
                arguments.to,
                path=place.path,
                in_place=True,
                dry_run=arguments.dry_run,
                progress=progress,
            )
        return replace(done, store=place.store)
    target = target_at(arguments.target)
    if target.path:
        message = (
            f"{target.name}: the target of a migration must be a whole store; name it without ::{target.path}"
        )
        raise CommandError(message, USAGE)
    with (
        place.opened() as store,
        _made(target, dry_run=arguments.dry_run) as new,
        Progress("migrating", arguments.progress) as progress,
    ):
        done = migrate(
            store,
            arguments.to,
            path=place.path,
            target=new,
            dry_run=arguments.dry_run,
            progress=progress,
        )
    return replace(done, store=place.store, target=target.store)


def _made(target: Operand, *, dry_run: bool) -> AbstractContextManager[Store]:
    return target.surveyed() if dry_run else target.opened(write=True)
