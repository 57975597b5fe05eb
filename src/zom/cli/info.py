"""`zom info`: show one node in full: type, shape, chunks, codecs, attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.cli.file import declare_output, write_text
from zom.cli.outcome import CLEAN
from zom.cli.printing import say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from zom.cli.operand import Operand
    from zom.hierarchy.stored.chunks import StoredChunks
    from zom.model.spec import Spec

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("place", metavar="PLACE", help="a document, a store, or - for standard input")
    parser.add_argument(
        "--stored",
        action="store_true",
        help="also count the stored chunks and bytes of an array; this lists its keys",
    )
    parser.add_argument(
        "--picture",
        action="store_true",
        help="with --format html, show a reduced slice of an array's values; this reads at most 64 chunks",
    )
    parser.add_argument("--format", choices=["text", "json", "html"], default="text", help="output format")
    declare_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the facts of the node."""
    from zom.cli.operand import operand_of  # noqa: PLC0415 - slow to import
    from zom.json.write import facts_json  # noqa: PLC0415 - slow to import

    place = operand_of(arguments.place)
    facts = _stored(place, arguments) if place.is_store else _described(place)
    if arguments.format == "json":
        write_text(arguments.output, facts_json(facts.entry, indent=2) + "\n")
        return CLEAN
    if arguments.format == "html":
        from zom.views.html.page import node_page  # noqa: PLC0415 - slow to import

        shown = node_page(
            facts.lines, facts.spec, title=place.name, stored=facts.chunks, picture=facts.picture
        )
        write_text(arguments.output, shown)
        return CLEAN
    _print(facts)
    return CLEAN


class _Facts:
    """The facts of the node: as lines, and as JSON."""

    def __init__(self, info: Any, name: str, spec: Spec, members: list[str] | None) -> None:
        from dataclasses import replace  # noqa: PLC0415 - slow to import

        found: Any = spec.document.get("attributes")
        self.attributes: Mapping[str, Any] = (
            cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}
        )
        info = replace(info, store=name)
        self.spec = spec
        self.chunks: StoredChunks | None = None
        self.picture = ""
        self.lines: list[tuple[str, str]] = [line for line in info.lines() if line[0] != "attributes"]
        self.entry: dict[str, Any] = {**info.to_dict(), "attributes": self.attributes}
        if spec.kind == "group":
            self.lines.append(("members", _names(members)))
            self.entry["members"] = members


def _described(place: Operand) -> _Facts:
    """The facts of the root of a document."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.outcome import UNREADABLE, CommandError  # noqa: PLC0415 - beside the others
    from zom.handles.info import array_info, group_info  # noqa: PLC0415 - slow to import
    from zom.hierarchy.stored.layout import DRAFT_2022, V2_LAYOUT, V3_LAYOUT  # noqa: PLC0415 - slow to import
    from zom.model.output import member_specs  # noqa: PLC0415 - slow to import

    document = read_document(place.name)
    spec = document.spec()
    if spec.kind == "entry point":
        message = (
            f"{document.name}: is the entry point of a draft hierarchy, not a node; show it with zom tree"
        )
        raise CommandError(message, UNREADABLE)
    layouts = {layout.family: layout for layout in (V2_LAYOUT, V3_LAYOUT, DRAFT_2022)}
    layout = layouts[spec.family]
    if spec.kind == "array":
        return _Facts(array_info(spec, document.name, "/", layout), document.name, spec, None)
    members = member_specs(spec)
    names = None if members is None else list(members)
    return _Facts(group_info(spec, document.name, "/", layout), document.name, spec, names)


def _stored(place: Operand, arguments: argparse.Namespace) -> _Facts:
    """The facts of a node in a store."""
    from zom.handles.handles import open as open_node  # noqa: PLC0415 - slow to import
    from zom.hierarchy.stored.broken import BrokenNode  # noqa: PLC0415 - slow to import

    with place.opened() as store:
        node: Any = open_node(store, place.path)
        members: dict[str, Any] = {} if node.spec.kind == "array" else node.members()
        names = None if node.spec.kind == "array" else list(members)
        facts = _Facts(node.info, place.store, node.spec, names)
        broken = [name for name, member in members.items() if isinstance(member, BrokenNode)]
        if broken:
            facts.lines.append(("broken", _names(broken)))
            facts.entry["broken"] = broken
        if arguments.picture and arguments.format == "html" and node.spec.kind == "array":
            from zom.cli.pictures import picture_of  # noqa: PLC0415 - slow to import

            facts.picture = picture_of(node)
        if arguments.stored and node.spec.kind == "array":
            found = facts.chunks = node.stored()
            facts.lines.append(("stored", str(found)))
            facts.entry["stored"] = {
                "chunks": found.count,
                "of": found.total,
                "bytes": found.nbytes,
                "bytes_in_memory": found.memory_nbytes,
            }
    return facts


def _names(members: list[str] | None) -> str:
    from zom.problems import one_line  # noqa: PLC0415 - slow to import

    if members is None:
        return "not read"
    return ", ".join(map(one_line, members)) or "none"


def _print(facts: _Facts) -> None:
    from zom.cli.terminal import fitted, width  # noqa: PLC0415 - slow to import
    from zom.columns import column_width, padded  # noqa: PLC0415 - as above
    from zom.problems import one_line, show  # noqa: PLC0415 - slow to import

    columns = width()
    lines = [(name, text) for name, text in facts.lines if text]
    if facts.attributes:
        lines.append(("attributes", ""))
    room = max(len(name) for name, _ in lines)
    for name, text in lines:
        say(fitted(one_line(f"{name:<{room}}  {text}".rstrip()), columns))
    inner = column_width(map(one_line, facts.attributes))
    for name, value in facts.attributes.items():
        say(fitted(f"  {padded(one_line(name), inner)}  {show(value, columns or 200)}", columns))
