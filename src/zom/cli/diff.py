"""`zom diff`: compare two hierarchies.

Prints the changes that give A the meaning of B; a written default or a short name is no difference.
Values that a declaration states are compared with the stored ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli.file import declare_output, write_text
from zom.cli.outcome import CLEAN, FINDINGS, UNREADABLE
from zom.cli.parameters import declare_parameters, parameters_from
from zom.cli.printing import say, tell

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from contextlib import ExitStack

    from zom.handles.comparing import Compared
    from zom.model.difference import Difference
    from zom.problems import Problem

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("old", metavar="A", help="a document, a store, or - for standard input")
    parser.add_argument("new", metavar="B", help="the hierarchy to compare with")
    declare_parameters(parser)
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="PATTERN",
        help="ignore differences at a JSON pointer, such as /attributes/history; * matches part of a "
        "step, ** any number of steps; NODE:POINTER limits it to some nodes; repeatable",
    )
    parser.add_argument(
        "--data",
        action="store_true",
        help="also compare the values of arrays in two stores, bit for bit; unreadable chunks are "
        "reported with exit code 3",
    )
    parser.add_argument(
        "--on-error",
        choices=["raise", "skip"],
        default="raise",
        help="if nodes of a store can't be read: fail (the default), or leave them out and report "
        "them on standard error",
    )
    parser.add_argument("--format", choices=["text", "json", "html"], default="text", help="output format")
    declare_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the changes. Return UNREADABLE for unreadable values, FINDINGS for changes or nodes left out."""
    from contextlib import ExitStack  # noqa: PLC0415 - beside the others

    from zom.cli.outcome import USAGE, CommandError  # noqa: PLC0415 - beside the others
    from zom.handles.comparing import differences  # noqa: PLC0415 - slow to import

    if arguments.old == arguments.new == "-":
        raise CommandError("standard input can be read only once; name a file or a store for A or B", USAGE)

    left_out: list[str] = []

    def leave_out(problem: Problem) -> None:
        if problem.severity == "error":
            left_out.append(problem.node)
            tell(f"left out: {problem}")

    given = parameters_from(arguments.parameters)
    with ExitStack() as opened:
        old, new = (
            _side(name, given, opened, on_error=arguments.on_error, on_warning=leave_out)
            for name in (arguments.old, arguments.new)
        )
        found = differences(old, new, arguments.ignore, data=arguments.data)
    _show(found, arguments)
    if not found:
        tell("no difference")
    for note in found.notes:
        tell(f"note: {note}")
    if found.values_compared is False:
        tell("values were not compared; pass --data to compare them")
    if found.unreadable:
        tell(
            "some values can't be read and were not compared; run zom validate STORE --data all to "
            "find these chunks"
        )
        return UNREADABLE
    return FINDINGS if found or left_out else CLEAN


def _show(found: Difference, arguments: argparse.Namespace) -> None:
    """Write the changes in the requested format."""
    if arguments.format == "json":
        write_text(arguments.output, found.to_json(indent=2) + "\n")
    elif arguments.format == "html":
        from zom.cli.operand import operand_of  # noqa: PLC0415 - slow to import
        from zom.views.html.page import difference_page  # noqa: PLC0415 - slow to import

        names = [operand_of(name).name for name in (arguments.old, arguments.new)]
        write_text(arguments.output, difference_page(found, *names))
    elif found and arguments.output is not None:
        write_text(arguments.output, f"{found}\n")
    elif found:
        for change in found:
            say(*_painted(str(change)))


def _side(name: str, parameters: Mapping[str, str], opened: ExitStack, **how: Any) -> Compared:
    """The hierarchy of an argument; a store stays open until values are compared."""
    from zom.cli.document import compiled_declaration, read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of  # noqa: PLC0415 - slow to import
    from zom.handles.comparing import Compared  # noqa: PLC0415 - slow to import

    place = operand_of(name)
    if place.is_store:
        return Compared.stored(opened.enter_context(place.opened()), place.path, **how)
    document = read_document(name, parameters)
    if document.kind != "declaration":
        return Compared(document.spec())
    declared = compiled_declaration(document)
    return Compared(declared.spec, declared.values)


def _painted(line: str) -> tuple[str, ...]:
    """The parts of a line, with its sign in colour."""
    from zom.cli.terminal import painted  # noqa: PLC0415 - slow to import

    colour = {"+": "green", "-": "red", "~": "yellow", "!": "red"}.get(line[:1])
    return (painted(line[:1], colour), line[1:]) if colour else (line,)
