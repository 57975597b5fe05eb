"""`zom codegen`: generate typed models of a hierarchy in Python or TypeScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.file import declare_output, write_text
from zom.cli.outcome import CLEAN, UNREADABLE, CommandError
from zom.cli.parameters import declare_parameters, parameters_from

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("place", metavar="PLACE", help="a store, or a document")
    declare_parameters(parser)
    parser.add_argument(
        "--lang",
        choices=["python", "typescript"],
        default="python",
        help="zom classes in Python (the default), or TypeScript types with a JSON Schema",
    )
    parser.add_argument(
        "--name", type=_name, default="Root", metavar="NAME", help="name of the root class (default: Root)"
    )
    declare_output(parser)


def _name(text: str) -> str:
    """Return `text` if it is a valid class name.

    >>> _name("Climate")
    'Climate'
    """
    import re  # noqa: PLC0415 - only when called

    if re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text) is None:
        from argparse import ArgumentTypeError  # noqa: PLC0415 - only on errors

        message = f"expected a name of letters, digits and _ that starts with a letter, found {text!r}"
        raise ArgumentTypeError(message)
    return text


def run(arguments: argparse.Namespace) -> int:
    """Write the models."""
    from zom.cli.models import python_models, typescript_models  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, spec_at  # noqa: PLC0415 - slow to import

    spec = spec_at(arguments.place, parameters=parameters_from(arguments.parameters))
    if spec.kind == "entry point" or spec.family.form == "draft":
        message = (
            f"{arguments.place}: expected a v2 or v3 hierarchy; convert it with zom convert --to v3 first"
        )
        raise CommandError(message, UNREADABLE)
    made = python_models if arguments.lang == "python" else typescript_models
    write_text(arguments.output, made(spec, arguments.name, operand_of(arguments.place).name))
    return CLEAN
