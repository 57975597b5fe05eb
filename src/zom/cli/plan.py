"""`zom plan`: show the changes that would make a store match a hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.file import declare_output, write_text
from zom.cli.outcome import CLEAN, FINDINGS, UNREADABLE, CommandError, spoken
from zom.cli.parameters import declare_parameters, parameters_from
from zom.cli.printing import say, say_data

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from zom.cli.operand import Operand
    from zom.declaration.declaration import Declaration
    from zom.handles.plan import Plan
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["declare", "declare_plan", "plan_from", "print_plan", "run", "wanted"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    declare_plan(parser, "html")
    declare_output(parser)


def declare_plan(parser: argparse.ArgumentParser, *forms: str) -> None:
    """Add the arguments of all verbs that plan a hierarchy, with further output `forms`."""
    parser.add_argument(
        "spec",
        metavar="SPEC",
        help="the wanted hierarchy: a declaration, a document, another store, or - for standard input",
    )
    parser.add_argument(
        "store", metavar="STORE", help="a directory, a zip or SQLite file, or a URL; it may be new"
    )
    parser.add_argument(
        "--on-conflict",
        choices=["refuse", "update", "replace"],
        default="refuse",
        help="if an existing node differs: fail (the default), update it if all its chunks stay "
        "valid, or replace it and delete chunks that become invalid",
    )
    declare_parameters(parser)
    parser.add_argument("--prune", action="store_true", help="delete nodes that SPEC doesn't have")
    parser.add_argument(
        "--spelling",
        choices=["full", "given"],
        default="full",
        help="write short-hand names in full, which every reader supports (the default), or as given in SPEC",
    )
    parser.add_argument("--format", choices=["text", "json", *forms], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; return FINDINGS on conflicts."""
    from zom.cli.operand import target_at  # noqa: PLC0415 - slow to import

    spec = wanted(arguments.spec, arguments.parameters)
    place = target_at(arguments.store)
    with place.surveyed() as store:
        made = plan_from(arguments, spec, place, store)
    if arguments.format == "html":
        from zom.views.html.plan import plan_page  # noqa: PLC0415 - slow to import

        write_text(arguments.output, plan_page(made))
    elif arguments.output is not None:
        write_text(arguments.output, f"{made.to_json(indent=2) if arguments.format == 'json' else made}\n")
    else:
        print_plan(made, arguments.format)
    return FINDINGS if made.problems else CLEAN


def wanted(name: str, parameters: Sequence[str]) -> Spec | Declaration:
    """The spec or declaration to create."""
    from zom.cli.document import compiled_declaration, read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, spec_at  # noqa: PLC0415 - slow to import

    given = parameters_from(parameters)
    if not operand_of(name).is_store:
        document = read_document(name, given)
        if document.kind == "declaration":
            return compiled_declaration(document)
        spec = document.spec()
    else:
        spec = spec_at(name, parameters=given)
    if spec.kind == "entry point":
        message = f"{name}: is the entry point of a draft hierarchy, which zom creates itself; name a group or array"
        raise CommandError(message, UNREADABLE)
    return spec


def plan_from(arguments: argparse.Namespace, spec: Spec | Declaration, place: Operand, store: Store) -> Plan:
    """The plan for the arguments, with the store's name as the user typed it."""
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.handles.changes import plan  # noqa: PLC0415 - slow to import

    made = plan(
        spec,
        store,
        place.path,
        on_conflict=arguments.on_conflict,
        prune=arguments.prune,
        spelling=arguments.spelling,
    )
    return replace(made, url=place.store)


def print_plan(plan: Plan, form: str) -> None:
    """Print the plan, with its signs in colour."""
    from zom.cli.terminal import fitted, painted, width  # noqa: PLC0415 - slow to import

    if form == "json":
        say_data(plan.to_json(indent=2))
        return
    columns = width()
    colours = {"+": "green", "-": "red", "!": "red", "~": "yellow"}
    conflicts = False
    for line in str(plan).splitlines():
        # Conflicts are printed in full, and wrapped by the terminal.
        conflicts = conflicts or line == "conflicts:"
        shown = spoken(line) if conflicts else fitted(line, columns)
        colour = None if conflicts else colours.get(shown[2:3]) if shown.startswith("  ") else None
        say(*((shown[:2], painted(shown[2], colour), shown[3:]) if colour else (shown,)))
