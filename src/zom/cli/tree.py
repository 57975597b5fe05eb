"""`zom tree`: a hierarchy, one line for each node."""

from __future__ import annotations

import argparse

from zom.cli.outcome import CLEAN

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("file", metavar="FILE", help="a document, or - for standard input")
    parser.add_argument("--depth", type=_depth, metavar="N", help="show N levels below the root")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how nodes are shown")


def _depth(text: str) -> int:
    if not text.isdecimal():
        message = f"expected a number of levels, 0 or more, found {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Prints the tree."""
    from zom import jsontext  # noqa: PLC0415 - slow to import
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.views.listing import listing  # noqa: PLC0415 - slow to import
    from zom.model.tree_text import tree_lines  # noqa: PLC0415 - slow to import

    spec = read_document(arguments.file).spec()
    if arguments.format == "json":
        print(jsontext.write(listing(spec, depth=arguments.depth), indent=2))
    else:
        for line in tree_lines(spec, depth=arguments.depth):
            print(line)
    return CLEAN
