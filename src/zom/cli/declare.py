"""`zom declare`: write a store or document as a short declaration that you can edit and apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, USAGE, CommandError

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("place", metavar="PLACE", help="a store, a document, or - for standard input")
    parser.add_argument("--no-values", action="store_true", help="leave out the values of coordinates")
    parser.add_argument(
        "--format", choices=["yaml", "json"], help="output format (default: by the suffix of FILE)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Write the declaration."""
    from zom.cli.file import write_text  # noqa: PLC0415 - --help does not need it
    from zom.cli.operand import operand_of, spec_at  # noqa: PLC0415 - slow to import
    from zom.declaration.yaml_writer import yaml_text  # noqa: PLC0415 - slow to import
    from zom.handles.declaring import declaration_of  # noqa: PLC0415 - slow to import
    from zom.json.write import write_json  # noqa: PLC0415 - slow to import

    form = arguments.format or _format_of(arguments.output or "")
    place = operand_of(arguments.place)
    if place.is_store:
        with place.opened() as store:
            made = declaration_of(store, place.path, values=not arguments.no_values)
    else:
        made = declaration_of(spec_at(arguments.place))
    write_text(arguments.output, yaml_text(made) if form == "yaml" else f"{write_json(made, indent=2)}\n")
    return CLEAN


def _format_of(name: str) -> str:
    """The format of a file with this name."""
    if name.lower().endswith(".toml"):
        raise CommandError(
            f"{name}: expected a file name that ends in .yaml or .json; zom declare does not write TOML",
            USAGE,
        )
    return "json" if name.lower().endswith(".json") else "yaml"
