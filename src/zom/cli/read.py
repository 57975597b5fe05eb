"""`zom read`: print the hierarchy in a store as one document."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.printing import tell
from zom.cli.tree import whole_number

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("store", metavar="STORE", help="a directory, a zip or SQLite file, or a URL")
    parser.add_argument(
        "--depth",
        type=whole_number,
        metavar="N",
        help="read N levels below the root; deeper members are unknown",
    )
    parser.add_argument(
        "--consolidated",
        choices=["verify", "trust", "ignore", "only"],
        default="verify",
        help="how to use consolidated metadata: compare it with the nodes (the default), trust it, "
        "ignore it, or read nothing else",
    )
    parser.add_argument(
        "--level",
        choices=["lenient", "strict", "closed"],
        default="lenient",
        help="how strict to be: accept what real software wrote (the default), require the "
        "specification, or require registered names too",
    )
    parser.add_argument(
        "--on-error",
        choices=["raise", "skip"],
        default="raise",
        help="if nodes can't be read: print only their problems (the default), or leave them out",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Print the document, and problems to standard error; return FINDINGS if nodes were left out."""
    from zom.cli.file import write_text  # noqa: PLC0415 - slow to import
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.cli.validate import stored_problem_parts  # noqa: PLC0415 - slow to import
    from zom.hierarchy.stored.read import read_tree  # noqa: PLC0415 - slow to import

    place = store_at(arguments.store)
    with place.opened() as store:
        tree = read_tree(
            store,
            place.path,
            depth=arguments.depth,
            consolidated=arguments.consolidated,
            level=arguments.level,
            on_error=arguments.on_error,
        )
    write_text(arguments.output, tree.spec.to_json(indent=2) + "\n")
    for problem in tree.problems:
        tell(*stored_problem_parts(place, problem, sys.stderr))
    return FINDINGS if tree.unreadable else CLEAN
