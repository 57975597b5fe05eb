"""Calls of every verb: what holds for all of them is tested with these.

The verbs are taken from the parser, so that a new one fails `test_every_verb_is_called` until it has calls here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zom.cli.main import parser_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CALLS", "JSON_OF_ITS_OWN", "NAMES", "calls", "every_call", "filled", "forms_of", "verbs"]

JSON_OF_ITS_OWN = frozenset({"declare", "completion"})
"""Verbs whose `--format`, or output, is the language of a file."""

CALLS: dict[str, list[str]] = {
    "demo": ["made"],
    "tree": ["{place}", "{place} --depth 0", "{document}"],
    "info": ["{place}", "{array} --stored", "{document}"],
    "stats": ["{place}", "{place} --missing"],
    "read": ["{place} --on-error skip", "{place}"],
    "validate": [
        "{place}",
        "{place} --data all -v",
        "{place} --convention xarray,cf --first 3",
        "{place} --like {document}",
        "{document}",
    ],
    "diff": ["{place} {document} --on-error skip", "{document} {place}", "{place} {place} --data"],
    "declare": ["{place}", "{document}"],
    "plan": ["{document} {place}", "{document} {new} --on-conflict replace"],
    "create": ["{document} {new}", "{document} {place}", "{document} {place} --dry-run"],
    "copy": ["{place} {new}", "{place} {new} --dry-run", "{place} {new} --select **/t2m"],
    "convert": ["{document} --to v2", "{place} --to v3"],
    "migrate": ["{place} --to v2 --dry-run", "{place} --to v2 --target {new}"],
    "pyramid": ["{array} {new} --levels 2", "{place} {new}"],
    "consolidate": ["{place} --dry-run", "{place}"],
    "delete": ["{array} --dry-run", "{place} --whole --dry-run", "{place}"],
    "rename": ["{array} {name} --dry-run", "{place} {name}"],
    "resize": ["{array} 3 --dry-run", "{array} {name}", "{place} 3"],
    "repair": ["{place}", "{place} --dry-run"],
    "checksum": ["{place}", "{place} --expect {name}"],
    "serve": ["{place} --port {name}"],
    "schema": [
        "list",
        "export v3/node",
        "export --infer {document}",
        "report",
        "report ome/0.5",
        "check {document} --schema v3/array",
        "check {document} --schema {name}",
    ],
    "codegen": ["{document}", "{document} --lang typescript", "{place}"],
    "explain": ["json/duplicate-key", "{name}"],
    "rules": ["v3/*", "{name}"],
    "doctor": [""],
    "completion": ["bash", "zsh", "fish"],
    "dingus": ["zarr {place}", "attributes {document}"],
}
"""What follows a verb: words, of which those in braces are filled in."""

NAMES = {
    "place": "a.zarr",
    "array": "a.zarr::time",
    "document": "a.json",
    "new": "new.zarr",
    "name": "other",
}
"""What sound calls name."""


def verbs() -> dict[str, Any]:
    """Every verb of the parser, by its name, without other names for the same."""
    actions: Any = parser_of()._actions
    choices: dict[str, Any] = next(each.choices for each in actions if each.dest == "verb")
    return {name: parser for name, parser in choices.items() if parser.prog.split()[-1] == name}


def filled(verb: str, words: str, **names: str) -> list[str]:
    """A command line, with these names in the place of braces."""
    return [verb, *(word.format(**names) for word in words.split())]


def calls(**names: str) -> list[list[str]]:
    """All command lines, with these names in the place of braces."""
    return [filled(verb, words, **names) for verb, found in CALLS.items() for words in found]


def forms_of(arguments: Sequence[str]) -> list[str]:
    """The values that `--format` may have in a command line."""
    parser: Any = verbs()[arguments[0]]
    inner: Any = next((each.choices for each in parser._actions if isinstance(each.choices, dict)), None)
    parser = parser if inner is None else inner.get(arguments[1], parser)
    return next((list(each.choices) for each in parser._actions if each.dest == "format"), [])


every_call = pytest.mark.parametrize("arguments", calls(**NAMES), ids=" ".join)
"""A test with one case for each call."""
