"""`zom copy`: a hierarchy copied to another store, rechunked where asked."""

from __future__ import annotations

import argparse

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.printing import say_data, say_lines
from zom.cli.terminal import Progress, declare_progress

__all__ = ["declare", "jobs", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument(
        "source", metavar="SOURCE", help="a directory, a zip, SQLite, HDF5 or NetCDF4 file, or a URL"
    )
    parser.add_argument("target", metavar="TARGET", help="another one; may be new")
    parser.add_argument(
        "--spec",
        metavar="PLACE",
        help="what the copy shall be, where that is something else: other chunks, shards or codecs, another "
        "format; shapes and data types stay",
    )
    parser.add_argument(
        "--select",
        metavar="PATTERN",
        help="copy only the nodes whose path matches, such as '**/t2m', with the groups above them",
    )
    parser.add_argument(
        "--jobs", type=jobs, metavar="N", help="how many threads write (default: by the machine)"
    )
    parser.add_argument("--verify", action="store_true", help="read the copy again, and compare")
    parser.add_argument(
        "--on-conflict",
        choices=["refuse", "update", "replace"],
        default="refuse",
        help="what becomes of what lies at TARGET: it is in the way (the default); it stays, and what is "
        "missing is added; it is removed first",
    )
    parser.add_argument(
        "--on-error",
        choices=["raise", "skip"],
        help="what is made of nodes that can't be read: nothing is copied (raise), or they are left out, the root "
        "too (skip); by default they are left out, and a root that can't be read is an error",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be copied, and write nothing")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how the report is shown")
    declare_progress(parser)


def jobs(text: str) -> int:
    """The number of threads that a text is."""
    if not (text.isascii() and text.isdecimal() and int(text)):
        message = f"expected a number of threads, 1 or more, found {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Copies, and prints the report."""
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.cli.operand import spec_at, store_at, target_at  # noqa: PLC0415 - slow to import
    from zom.hierarchy.copy.copy import copy  # noqa: PLC0415 - slow to import

    source, target = store_at(arguments.source), target_at(arguments.target)
    spec = None if arguments.spec is None else spec_at(arguments.spec)
    with (
        source.opened() as old,
        target.surveyed() if arguments.dry_run else target.opened(write=True) as new,
        Progress("copying", arguments.progress) as progress,
    ):
        report = copy(
            old,
            new,
            spec,
            path=source.path,
            target_path=target.path,
            select=arguments.select,
            jobs=arguments.jobs,
            verify=arguments.verify,
            progress=progress,
            on_conflict=arguments.on_conflict,
            dry_run=arguments.dry_run,
            on_error=arguments.on_error,
        )
    report = replace(report, source=source.store, target=target.store)
    if arguments.format == "json":
        say_data(report.to_json(indent=2))
    else:
        say_lines(str(report))
    return FINDINGS if report.problems else CLEAN
