"""The reports of places given to `zom validate`, one for each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from zom.cli.outcome import UNREADABLE, USAGE, CommandError, command_error
from zom.cli.terminal import Progress
from zom.errors import ZomError
from zom.reason import reason_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from zom.cli.document import Document
    from zom.cli.operand import Operand
    from zom.conventions.framework.convention import Convention
    from zom.conventions.report import Report

__all__ = ["Choices", "choices_from", "places_of", "report_at"]

Choices = dict[str, Any]
"""Arguments of `zom.validate` that don't depend on the place."""


def places_of(arguments: argparse.Namespace) -> list[str]:
    """The places to validate, in order and without repetition; a pattern without matches is kept.

    A wrong name is reported when it is opened, so that other places are still validated.
    """
    from zom.cli.places import around, listed, matching, within  # noqa: PLC0415 - slow to import

    names = [*arguments.places, *(name for file in arguments.from_file for name in listed(file))]
    if not names and not arguments.from_file:
        raise CommandError("expected a place; name a document or a store, or give --from-file", USAGE)
    if names.count("-") + arguments.from_file.count("-") + (arguments.like == "-") > 1:
        message = "standard input can be read only once; name - for one of the places, --from-file and --like"
        raise CommandError(message, USAGE)
    if arguments.enclosing:
        return around(names)
    found: dict[str, str] = {}
    for name in names:
        try:
            places = [each for match in matching(name) or [name] for each in within(match)]
        except CommandError as error:
            if error.code == USAGE:
                raise
            places = [name]
        for each in places:
            found.setdefault(each if "://" in each else str(Path(each)), each)
    return [*found.values()]


def choices_from(arguments: argparse.Namespace) -> Choices:
    """The choices, validated."""
    return {
        "conventions": _asked(arguments.convention, arguments.standard_names),
        "profile": arguments.profile,
        "suppress": _suppressions(arguments.suppress),
        "level": arguments.level,
        "like": _like(arguments.like),
    }


def report_at(
    name: str, arguments: argparse.Namespace, choices: Choices, parameters: Mapping[str, str]
) -> Report:
    """The report of one place, with a single finding if it can't be opened."""
    from zom.cli.operand import operand_of  # noqa: PLC0415 - slow to import
    from zom.cli.places import expanded  # noqa: PLC0415 - slow to import

    try:
        expanded([name])
        place = operand_of(name)
        if place.is_store:
            return _of_store(place, choices, arguments)
        return _of_document(name, choices, parameters)
    except CommandError as error:
        if error.code == USAGE:
            raise
        return _of_nothing(name, str(error), choices)
    except ZomError as error:
        return _of_nothing(name, str(command_error(error, name)), choices)


def _of_nothing(name: str, why: str, choices: Choices) -> Report:
    """The report of a place that can't be read."""
    from zom.cli.operand import shown_name  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.unopened import report_of_unopened  # noqa: PLC0415 - slow to import

    shown = shown_name(name)
    for place in (shown, shown.partition("::")[0]):
        why = why.removeprefix(f"{place}: ")
    return report_of_unopened(shown, why, choices["profile"], choices["suppress"])


# --- what is requested -----------------------------------------------------------------------------------


def _asked(names: Sequence[str] | None, table: str | None) -> Any:
    """The conventions of these names."""
    from zom.conventions.framework.registered import conventions  # noqa: PLC0415 - slow to import
    from zom.errors import UnknownName  # noqa: PLC0415 - as above

    own = () if table is None else (_standard_names(table),)
    given = [part for name in names or ["auto"] for part in name.split(",") if part]
    if given == ["auto"]:
        for each in own:
            if each.name not in conventions.names():
                conventions.register(each)  # found wherever CF is
        return "auto"
    if given == ["none"]:
        return ()
    if "auto" in given or "none" in given:
        message = "--convention: auto and none can't be combined with names; pass one or the other"
        raise CommandError(message, USAGE)
    try:
        return [*(each for name in given for each in conventions.of_id(name)), *own]
    except UnknownName as error:
        raise CommandError(f"--convention: {error}", USAGE) from None


def _standard_names(file: str) -> Convention:
    """The rules of CF on standard names, from the table in `file`."""
    from zom.conventions.cf import standard_names  # noqa: PLC0415 - only on request
    from zom.errors import ExtensionError  # noqa: PLC0415 - as above

    try:
        return standard_names(file)
    except OSError as cause:
        reason = f"cannot be read: {reason_of(cause)}; name CF's file cf-standard-name-table.xml"
        raise CommandError(f"--standard-names: {file}: {reason}", UNREADABLE) from None
    except ExtensionError as error:
        raise CommandError(f"--standard-names: {error}", UNREADABLE) from None


def _suppressions(patterns: Sequence[str]) -> Sequence[str]:
    from zom.conventions.framework.suppression import parse_suppressions  # noqa: PLC0415 - slow to import

    try:
        parse_suppressions(patterns)
    except ValueError as error:
        raise CommandError(f"--{error}", USAGE) from None
    return patterns


def _like(name: str | None) -> Any:
    """The spec or template at `name`."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, spec_at  # noqa: PLC0415 - slow to import

    if name is None:
        return None
    if operand_of(name).is_store:
        return spec_at(name)
    document = read_document(name)
    return document.template() if document.is_template else document.spec()


def _of_document(name: str, choices: dict[str, Any], parameters: Mapping[str, str]) -> Report:
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.validate import validate, validate_attributes  # noqa: PLC0415 - slow to import

    document = read_document(name, parameters)
    if document.kind == "declaration":
        return replace(_of_declaration(document, choices), subject=document.name)
    if document.kind != "attributes":
        return replace(validate(document.text, **choices), subject=document.name)
    choices = dict(choices)
    if choices.pop("like") is not None:
        raise CommandError(
            f"{name}: --like compares nodes, and this file has attributes only; name a node", USAGE
        )
    return replace(validate_attributes(document.text, **choices), subject=document.name)


def _of_declaration(document: Document, choices: dict[str, Any]) -> Report:
    from zom.errors import SpecError  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.document import report_of_faulty  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.validate import validate  # noqa: PLC0415 - slow to import

    try:
        return validate(document.declaration(), **choices)
    except SpecError as error:
        return report_of_faulty(error)


def _of_store(place: Operand, choices: dict[str, Any], arguments: argparse.Namespace) -> Report:
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.hierarchy.check.validate import validate  # noqa: PLC0415 - slow to import

    with place.opened() as store, Progress("validating", arguments.progress) as progress:
        report = validate(
            store, path=place.path, data=arguments.data, limit=arguments.limit, progress=progress, **choices
        )
    return replace(report, subject=place.name, store=place.store)
