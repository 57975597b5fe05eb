"""`zom convert`: a hierarchy in another format, with every loss reported.

Only documents are converted: the chunks stay as they are.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("file", metavar="FILE", help="a document, or - for standard input")
    parser.add_argument("--to", required=True, choices=["v3", "v2"], help="the format of the new document")
    parser.add_argument(
        "--fill",
        choices=["default", "refuse"],
        default="default",
        help="what becomes of a fill value that is not defined",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the new document; FINDINGS where there can be none."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.validate import problem_line  # noqa: PLC0415 - slow to import
    from zom.errors import ConversionError  # noqa: PLC0415 - slow to import
    from zom.model.convert import convert  # noqa: PLC0415 - slow to import

    document = read_document(arguments.file)
    try:
        made = convert(document.spec(), arguments.to, fill=arguments.fill)
    except ConversionError as error:
        for problem in document.located(error.problems):
            print(problem_line(document.name, problem), file=sys.stderr)
        return FINDINGS
    print(made.spec.to_json(indent=2))
    for problem in document.located(made.losses):
        print(problem_line(document.name, problem), file=sys.stderr)
    moved = [path for path, same in made.same_chunks.items() if not same]
    if moved:
        print(f"the chunks of {', '.join(moved[:5])} must be moved or rewritten", file=sys.stderr)
    return CLEAN
