"""`zom tree`: a hierarchy, one line for each node."""

from __future__ import annotations

import argparse

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.parameters import declare_parameters, parameters_from

__all__ = ["declare", "run", "whole_number"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("place", metavar="PLACE", help="a document, a store, or - for standard input")
    declare_parameters(parser)
    parser.add_argument("--depth", type=whole_number, metavar="N", help="show N levels below the root")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how nodes are shown")


def whole_number(text: str) -> int:
    """The number that an argument is.

    >>> whole_number("2")
    2
    """
    if not (text.isascii() and text.isdecimal()):
        message = f"expected a whole number, 0 or more, found {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Prints the tree; lines end where a terminal does. FINDINGS where a node can't be read."""
    from zom.cli.operand import sound_part_at  # noqa: PLC0415 - slow to import
    from zom.cli.terminal import fitted, width  # noqa: PLC0415 - slow to import
    from zom.formats.tree_text import tree_lines  # noqa: PLC0415 - slow to import
    from zom.json.write import write_json  # noqa: PLC0415 - slow to import
    from zom.views.listing import listing  # noqa: PLC0415 - slow to import

    spec, broken = sound_part_at(
        arguments.place, depth=arguments.depth, parameters=parameters_from(arguments.parameters)
    )
    code = FINDINGS if broken else CLEAN
    if arguments.format == "json":
        print(write_json(listing(spec, depth=arguments.depth, broken=broken), indent=2))
        return code
    columns = width()
    for line in tree_lines(spec, depth=arguments.depth, broken=broken):
        print(fitted(line, columns))
    return code
