"""`zom check`: everything that is wrong in a store: documents, keys, chunks.

With `--like`, what differs from a spec, or doesn't fit a template, too.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.terminal import Progress, declare_progress
from zom.cli.tree import whole_number
from zom.cli.validate import counted, declare_fail_on, failed, stored_problem_line

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("store", metavar="STORE", help="a directory, a zip or SQLite file, or a URL")
    parser.add_argument(
        "--data",
        choices=["none", "index", "all"],
        default="none",
        help="what of the chunks is read: nothing but their names and sizes (the default), the indexes of "
        "shards, everything",
    )
    parser.add_argument(
        "--like", metavar="PLACE", help="a spec that the store should equal, or a template that it should fit"
    )
    parser.add_argument(
        "--level",
        choices=["lenient", "strict", "closed"],
        default="strict",
        help="what is asked of a document: what real software wrote, the specification (the default), "
        "registered names",
    )
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=20,
        metavar="N",
        help="list N problems of one kind and node, and count the rest (default: 20)",
    )
    declare_fail_on(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how problems are shown")
    declare_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the problems; FINDINGS where one of them is bad enough."""
    import json  # noqa: PLC0415 - as the others: --help needs none of them

    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.check import check  # noqa: PLC0415 - slow to import

    place = store_at(arguments.store)
    like = _like(arguments.like)
    with place.opened() as store, Progress("checking", arguments.progress) as progress:
        problems = check(
            store,
            like,
            path=place.path,
            data=arguments.data,
            level=arguments.level,
            limit=arguments.limit,
            progress=progress,
        )
    if arguments.format == "json":
        print(json.dumps([{"file": place.name, **problem.to_dict()} for problem in problems], indent=2))
    else:
        print(*(f"{stored_problem_line(place, problem)}\n" for problem in problems), sep="", end="")
    counts: Counter[str] = Counter(problem.severity for problem in problems)
    print(f"{place.name}: {counted(counts)}", file=sys.stderr)
    return FINDINGS if failed(counts, arguments.fail_on) else CLEAN


def _like(name: str | None) -> Any:
    """The spec or template that is named."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, spec_at  # noqa: PLC0415 - slow to import

    if name is None:
        return None
    if operand_of(name).is_store:
        return spec_at(name)
    document = read_document(name)
    return document.template() if document.is_template else document.spec()
