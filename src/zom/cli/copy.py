"""`zom copy`: copy a hierarchy to another store, optionally rechunked."""

from __future__ import annotations

import argparse

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.printing import say_data, say_lines
from zom.cli.terminal import Progress, declare_progress

__all__ = ["declare", "jobs", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "source", metavar="SOURCE", help="a directory, a zip, SQLite, HDF5 or NetCDF4 file, or a URL"
    )
    parser.add_argument("target", metavar="TARGET", help="the target store; it may be new")
    parser.add_argument(
        "--spec",
        metavar="PLACE",
        help="layout of the copy: other chunks, shards, codecs or format, with the same shapes and "
        "data types",
    )
    parser.add_argument(
        "--select",
        metavar="PATTERN",
        help="copy only nodes whose path matches, such as '**/t2m', and their parent groups",
    )
    parser.add_argument(
        "--jobs", type=jobs, metavar="N", help="number of writing threads (default: chosen for this machine)"
    )
    parser.add_argument(
        "--verify", action="store_true", help="read the copy back and compare it with the source"
    )
    parser.add_argument(
        "--on-conflict",
        choices=["refuse", "update", "replace"],
        default="refuse",
        help="if TARGET has nodes: fail (the default), keep them and add missing ones, or delete them first",
    )
    parser.add_argument(
        "--on-error",
        choices=["raise", "skip"],
        help="if nodes can't be read: copy nothing (raise), or leave them out (skip); by default, "
        "leave them out unless the root itself can't be read",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="report what would be copied without writing anything"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")
    declare_progress(parser)


def jobs(text: str) -> int:
    """The number of threads in `text`."""
    if not (text.isascii() and text.isdecimal() and int(text)):
        message = f"expected a number of threads, 1 or more, found {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Copy, and print the report."""
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
