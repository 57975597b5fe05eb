"""`zom read`: the hierarchy in a store, as one document."""

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
    """The arguments of the verb."""
    parser.add_argument("store", metavar="STORE", help="a directory, a zip or SQLite file, or a URL")
    parser.add_argument(
        "--depth",
        type=whole_number,
        metavar="N",
        help="read N levels below the root; members below aren't known",
    )
    parser.add_argument(
        "--consolidated",
        choices=["verify", "trust", "ignore", "only"],
        default="verify",
        help="what is made of consolidated metadata: compare it with the nodes (the default), believe it, "
        "don't look at it, believe it and read nothing else",
    )
    parser.add_argument(
        "--level",
        choices=["lenient", "strict", "closed"],
        default="lenient",
        help="what is asked of a document: what real software wrote (the default), the specification, "
        "registered names",
    )
    parser.add_argument(
        "--on-error",
        choices=["raise", "skip"],
        default="raise",
        help="what is made of nodes that can't be read: nothing is printed but their problems (raise, the "
        "default), or they are left out (skip)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Prints the document; problems go to standard error. FINDINGS where nodes were left out."""
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
