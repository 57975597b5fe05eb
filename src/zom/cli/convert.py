"""`zom convert`: convert a hierarchy document to another format, and report every loss.

Only documents are converted: the chunks stay as they are.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.printing import say_data, tell

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from zom.cli.document import Document
    from zom.problems import Problem

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("place", metavar="PLACE", help="a document, a store, or - for standard input")
    parser.add_argument("--to", required=True, choices=["v3", "v2"], help="the format of the new document")
    parser.add_argument(
        "--fill",
        choices=["default", "refuse"],
        default="default",
        help="how to convert an undefined fill value: to the default of the data type, or not at all",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the new document; return FINDINGS if the conversion fails."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, spec_at  # noqa: PLC0415 - slow to import
    from zom.conversion.trees import convert  # noqa: PLC0415 - slow to import
    from zom.errors import ConversionError  # noqa: PLC0415 - slow to import

    place = operand_of(arguments.place)
    document = None if place.is_store else read_document(arguments.place)
    spec = spec_at(arguments.place) if document is None else document.spec()
    try:
        made = convert(spec, arguments.to, fill=arguments.fill)
    except ConversionError as error:
        _tell(error.problems, document, place.name)
        return FINDINGS
    say_data(made.spec.to_json(indent=2))
    _tell(made.losses, document, place.name)
    moved = [path for path, same in made.same_chunks.items() if not same]
    if moved:
        more = f" and {len(moved) - 5} more" if len(moved) > 5 else ""
        tell(f"the chunks of {', '.join(moved[:5])}{more} must be moved or rewritten")
    return CLEAN


def _tell(problems: Iterable[Problem], document: Document | None, name: str) -> None:
    """Print the losses, with their lines if the document is a text."""
    from zom.cli.validate import problem_parts  # noqa: PLC0415 - slow to import

    located = problems if document is None else document.located(problems)
    for problem in located:
        tell(*problem_parts(name if document is None else document.name, problem, sys.stderr))
