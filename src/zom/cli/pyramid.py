"""`zom pyramid`: create lower resolutions of an image."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from zom.cli.copy import jobs
from zom.cli.outcome import CLEAN, USAGE, CommandError, spoken
from zom.cli.printing import say_lines
from zom.cli.terminal import Progress, declare_progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("source", metavar="STORE::a/b", help="the image, an array")
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        help="the group of the pyramid, STORE or STORE::a (default: the image's own group, with the "
        "image as finest level)",
    )
    parser.add_argument(
        "--method",
        choices=["mean", "median", "mode", "max", "min", "stride"],
        default="mean",
        help="how to reduce each block to one element (default: mean); use mode for labels; stride "
        "takes the first element",
    )
    parser.add_argument(
        "--convention",
        choices=["ome/0.4", "ome/0.5", "ome/0.6", "multiscales"],
        help="convention that describes the levels (default: the group's own, or ome/0.5)",
    )
    parser.add_argument(
        "--axes",
        metavar="NAMES",
        help="names of the dimensions, such as zyx or band,lat,lon (default: the image's own)",
    )
    parser.add_argument(
        "--factors",
        metavar="N|NAME=N,...",
        help="reduction per level (default: 2 along space axes)",
    )
    parser.add_argument(
        "--levels",
        type=int,
        metavar="N",
        help="number of levels (default: until no axis is longer than 1024)",
    )
    parser.add_argument(
        "--scale", metavar="NAME=X,...", help="size of an element, such as y=0.5,x=0.5 (default: 1)"
    )
    parser.add_argument(
        "--units",
        metavar="NAME=UNIT,...",
        help="units, such as y=meter,x=meter (default: micrometer, second)",
    )
    parser.add_argument("--name", help="name of the image")
    parser.add_argument("--chunks", metavar="N,N,...", help="chunk shape")
    parser.add_argument("--shards", metavar="N,N,...", help="shard shape")
    parser.add_argument("--compress", metavar="CODEC", help="compressor, such as zstd:5, gzip or none")
    parser.add_argument(
        "--jobs", type=jobs, metavar="N", help="number of threads (default: chosen for this machine)"
    )
    parser.add_argument(
        "--on-conflict",
        choices=["refuse", "replace"],
        default="refuse",
        help="if levels exist: fail (the default), or delete them first",
    )
    declare_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the levels, and print the group."""
    from zom.cli.operand import store_at, target_at  # noqa: PLC0415 - slow to import
    from zom.handles.handles import open_array  # noqa: PLC0415 - slow to import
    from zom.pyramids.pyramid import pyramid  # noqa: PLC0415 - slow to import

    source = store_at(arguments.source)
    target = None if arguments.target is None else target_at(arguments.target)
    options = _options(arguments)
    with ExitStack() as stack:
        store = stack.enter_context(source.opened(write=target is None))
        image = open_array(store, source.path)
        place: tuple[Any, ...] = ()
        if target is not None:
            place = (stack.enter_context(target.opened(write=True)), target.path)
        progress = stack.enter_context(Progress("writing levels", arguments.progress))
        try:
            group = pyramid(image, *place, progress=progress, **options)
        except (TypeError, ValueError) as error:
            raise CommandError(f"{source.name}: {spoken(str(error))}", USAGE) from error
        say_lines(group.tree())
    return CLEAN


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments as keywords of the library."""
    axes: str | None = arguments.axes
    found: dict[str, Any] = {
        "method": arguments.method,
        "convention": arguments.convention,
        "axes": axes.split(",") if axes and "," in axes else axes,
        "levels": arguments.levels,
        "name": arguments.name,
        "jobs": arguments.jobs,
        "on_conflict": arguments.on_conflict,
    }
    factors: str | None = arguments.factors
    if factors is not None:
        found["factors"] = int(factors) if factors.isdecimal() else _by_name("factors", factors, int)
    if arguments.scale is not None:
        found["scale"] = _by_name("scale", arguments.scale, float)
    if arguments.units is not None:
        found["units"] = _by_name("units", arguments.units, str)
    for what in ("chunks", "shards"):
        given: str | None = getattr(arguments, what)
        if given is not None:
            found[what] = _lengths(what, given)
    if arguments.compress is not None:
        found["compress"] = None if arguments.compress == "none" else arguments.compress
    return found


def _by_name(what: str, text: str, read: Callable[[str], Any]) -> dict[str, Any]:
    """Parse `y=2,x=2` into a mapping.

    >>> _by_name("factors", "y=2,x=3", int)
    {'y': 2, 'x': 3}
    """
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {name: read(value) for name, value in pairs}
    except ValueError as error:
        raise CommandError(
            f"--{what}: expected values by axis, such as y=2,x=2, found {text!r}", USAGE
        ) from error


def _lengths(what: str, text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise CommandError(f"--{what}: expected lengths of 1 or more, such as 256,256, found {text!r}", USAGE)
    return tuple(map(int, parts))
