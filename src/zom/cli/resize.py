"""`zom resize`: change the shape of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.create import show_change
from zom.cli.outcome import USAGE, CommandError
from zom.count import count_of

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("node", metavar="STORE::a/b", help="the array")
    parser.add_argument("shape", metavar="N,N,...", help="the new shape, separated by commas")
    parser.add_argument("--dry-run", action="store_true", help="show the plan without writing anything")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Plan the change of shape and apply it; on conflicts, write nothing and return FINDINGS."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.handles.handles import open_array  # noqa: PLC0415 - slow to import

    place, shape = store_at(arguments.node), _lengths(arguments.shape)
    with place.opened(write=not arguments.dry_run) as store:
        array = open_array(store, place.path)
        if len(shape) != array.ndim:
            wanted = f"expected {count_of(array.ndim, 'length')}, such as {','.join(map(str, array.shape))}"
            raise CommandError(f"{place.name}: {wanted}, found {arguments.shape}", USAGE)
        return show_change(arguments, place, array.plan_resize(shape))


def _lengths(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise CommandError(f"{text}: expected lengths of 0 or more, such as 4,5", USAGE)
    return tuple(map(int, parts))
