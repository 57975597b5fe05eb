"""`zom tree`: show a hierarchy as a tree, one line per node."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from zom.cli.file import declare_output, write_text
from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.parameters import declare_parameters, parameters_from
from zom.cli.printing import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.model.spec import Spec

__all__ = ["declare", "run", "whole_number"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("place", metavar="PLACE", help="a document, a store, or - for standard input")
    declare_parameters(parser)
    parser.add_argument("--depth", type=whole_number, metavar="N", help="show N levels below the root")
    parser.add_argument(
        "--stored",
        action="store_true",
        help="with --format html, also show stored chunks and bytes; this lists all keys",
    )
    parser.add_argument("--format", choices=["text", "json", "html"], default="text", help="output format")
    declare_output(parser)


def whole_number(text: str) -> int:
    """The whole number in an argument.

    >>> whole_number("2")
    2
    """
    if not (text.isascii() and text.isdecimal()):
        message = f"expected a whole number, 0 or more, found {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Print the tree, cut to the width of a terminal; return FINDINGS if a node can't be read."""
    from zom.cli.operand import sound_part_at  # noqa: PLC0415 - slow to import
    from zom.cli.terminal import fitted, width  # noqa: PLC0415 - slow to import
    from zom.formats.tree_text import tree_lines  # noqa: PLC0415 - slow to import
    from zom.json.write import facts_json  # noqa: PLC0415 - slow to import
    from zom.views.listing import listing  # noqa: PLC0415 - slow to import

    spec, broken = sound_part_at(
        arguments.place, depth=arguments.depth, parameters=parameters_from(arguments.parameters)
    )
    code = FINDINGS if broken else CLEAN
    if arguments.format == "json":
        write_text(
            arguments.output, facts_json(listing(spec, depth=arguments.depth, broken=broken), indent=2) + "\n"
        )
        return code
    if arguments.format == "html":
        write_text(arguments.output, _page(arguments, spec, broken))
        return code
    lines = tree_lines(spec, depth=arguments.depth, broken=broken)
    if arguments.output is not None:
        write_text(arguments.output, "".join(f"{line}\n" for line in lines))
        return code
    columns = width()
    for line in lines:
        say(fitted(line, columns))
    return code


def _page(arguments: argparse.Namespace, spec: Spec, broken: Mapping[str, str]) -> str:
    """The tree as a page; for a store, with the stored chunks if requested."""
    from zom.cli.operand import operand_of  # noqa: PLC0415 - slow to import
    from zom.cli.pictures import stored_arrays  # noqa: PLC0415 - slow to import
    from zom.views.html.page import Seen, hierarchy_page  # noqa: PLC0415 - slow to import

    place = operand_of(arguments.place)
    stored = {}
    if arguments.stored and place.is_store:
        with place.opened() as store:
            stored = stored_arrays(store, place.path, spec)
    return hierarchy_page(spec, title=place.name, seen=Seen(stored, broken))
