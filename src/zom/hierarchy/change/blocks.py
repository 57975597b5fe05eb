"""Blocks of consolidated metadata, updated in the same plan that changes their nodes.

v2 keeps one in `.zmetadata`, v3 in a group's own document. While nodes change, a block that would not be true
is removed from the store; it is written again at the end.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.hierarchy.stored.layout import ENTRY_KEY
from zom.hierarchy.stored.text import document_text
from zom.json.exact import same
from zom.json.python_value import is_dict
from zom.json.read import read_json
from zom.paths import is_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.hierarchy.change.ledger import Ledger
    from zom.hierarchy.stored.layout import Layout
    from zom.hierarchy.stored.node import StoredNode
    from zom.model.spec import Spec

__all__ = [
    "Renewal",
    "block_end",
    "block_in",
    "block_of",
    "plain_text",
    "renewed",
    "says_the_same",
    "wanted_by",
    "without",
]


@dataclass(frozen=True, slots=True)
class Renewal:
    """The changes of documents with blocks."""

    first: dict[str, bytes | None] = field(default_factory=dict[str, "bytes | None"])
    """The interim contents of their keys while the nodes change; None for none."""
    writes: dict[str, bytes] = field(default_factory=dict[str, bytes])
    old: dict[str, bytes | None] = field(default_factory=dict[str, "bytes | None"])
    paths: list[str] = field(default_factory=list[str])


def wanted_by(nodes: Mapping[str, Spec]) -> frozenset[str]:
    """The groups whose specs contain a block, which is made again because it may be outdated."""
    return frozenset(
        path
        for path, spec in nodes.items()
        if spec.kind == "group" and "consolidated_metadata" in spec.document
    )


def says_the_same(text: bytes, stored: bytes | None, inline: str | None) -> bool:
    """Whether two documents hold the same JSON, apart from consolidated metadata."""
    if stored is None or text == stored:
        return stored is not None
    left, right = _value(text), _value(stored)
    if left is None or right is None:
        return False
    return same(without(left, inline), without(right, inline))


def plain_text(text: bytes, inline: str | None) -> bytes:
    """The text of a document without its block."""
    return document_text(without(_value(text), inline))


def _value(text: bytes) -> Any:
    """The JSON value, or None if it is not JSON."""
    return read_json(text, [])


def without(value: Any, inline: str | None) -> Any:
    """A document without its block."""
    if inline is None or not isinstance(value, dict) or inline not in value:
        return value  # pyright: ignore[reportUnknownVariableType] - it is JSON
    return {name: item for name, item in cast("dict[str, Any]", value).items() if name != inline}


def block_in(layout: Layout, text: bytes | None) -> dict[str, Any] | None:
    """The block in a document of this layout, as JSON, with its entries and all other members."""
    if text is None or (layout.inline is not None and layout.inline.encode() not in text):
        return None
    value = _value(text)
    if layout.inline is not None:
        value = value.get(layout.inline) if is_dict(value) else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def block_end(layout: Layout) -> str | None:
    """The end of the key of the document with the block, or None if the format has none."""
    return layout.consolidated or (ENTRY_KEY if layout.inline is not None else None)


def block_of(node: StoredNode) -> dict[str, Any] | None:
    """The block in a node's documents."""
    return block_in(node.layout, node.texts.get(block_end(node.layout) or ""))


def renewed(ledger: Ledger, wanted: frozenset[str]) -> Renewal:
    """The blocks that are no longer true after the planned changes."""
    made, layout, found = Renewal(), ledger.layout, ledger.found
    if layout.inline is None and layout.consolidated is None:
        return made
    changed = [path for path, action in ledger.actions.items() if action.verb != "keep"]
    changed.extend(ledger.touched)
    for at in sorted({*wanted, *(path for path, node in found.nodes.items() if block_of(node) is not None)}):
        node = found.nodes.get(at)
        inside = at == found.path or at.startswith(f"{found.path.rstrip('/')}/")
        if inside and at not in ledger.documents:
            continue  # it is deleted, and its block with it
        if at in ledger.actions and ledger.actions[at].kind == "array":
            continue  # an array replaces it
        block = None if node is None else block_of(node)
        prefix = f"{at.rstrip('/')}/"
        touched = any(path == at or path.startswith(prefix) for path in changed)
        if at not in wanted and not touched:
            continue
        _renew(ledger, at, node, block, made, inside=inside)
    return made


def _renew(  # noqa: PLR0913 - everything that a block consists of
    ledger: Ledger,
    at: str,
    node: StoredNode | None,
    block: dict[str, Any] | None,
    made: Renewal,
    *,
    inside: bool,
) -> None:
    layout = ledger.layout
    documents = ledger.documents.get(at) or (node.texts if node is not None else {})
    held: Any = (block or {}).get("metadata")
    entries: dict[str, Any] = {}
    if not inside and isinstance(held, dict):
        entries = _untouched(ledger, at, cast("dict[str, Any]", held))
    entries.update(_entries(ledger, at))
    if layout.consolidated is not None:
        own = {end: _value(text) for end, text in documents.items() if end != layout.consolidated}
        whole = {"zarr_consolidated_format": 1, **(block or {}), "metadata": {**own, **entries}}
        key, stored = layout.key(at, layout.consolidated), None
        if node is not None:
            stored = node.texts.get(layout.consolidated)
        meanwhile = None
    else:
        inline = cast("str", layout.inline)
        key = layout.key(at, ENTRY_KEY)
        stored = None if node is None else node.texts.get(ENTRY_KEY)
        plain = without(_value(documents[ENTRY_KEY]), inline)
        new = {"kind": "inline", "must_understand": False, **(block or {}), "metadata": entries}
        whole = {**plain, inline: new}
        meanwhile = document_text(without(_value(stored), inline)) if stored is not None else None
    text = document_text(whole)
    if stored is not None and says_the_same(text, stored, None):
        return
    made.writes[key] = text
    made.old[key] = stored
    made.paths.append(at)
    if block is not None:
        made.first[key] = meanwhile


def _untouched(ledger: Ledger, at: str, held: dict[str, Any]) -> dict[str, Any]:
    """The entries of a block above the plan that the plan doesn't touch."""
    inner = ledger.found.path[len(at.rstrip("/")) + 1 :]
    kept: dict[str, Any] = {}
    for key, value in held.items():
        path = key.rpartition("/")[0] if ledger.layout.consolidated is not None else key
        if path != inner and not path.startswith(f"{inner}/"):
            kept[key] = value
    return kept


def _entries(ledger: Ledger, at: str) -> dict[str, Any]:
    """The future documents below `at`, by their names in a block."""
    prefix, layout = f"{at.rstrip('/')}/", ledger.layout
    found: dict[str, Any] = {}
    for path in sorted(ledger.documents):
        if not path.startswith(prefix) or path == at or is_bytes(path):
            continue  # JSON can't hold bytes that are not text: only the node's own document has them
        found.update(_named(path[len(prefix) :], ledger.documents[path], layout))
    return found


def _named(inner: str, texts: Mapping[str, bytes], layout: Any) -> Iterator[tuple[str, Any]]:
    for end, text in texts.items():
        if end == layout.consolidated:
            continue
        value = without(_value(text), layout.inline)
        if isinstance(value, dict):
            yield (f"{inner}/{end}" if layout.consolidated is not None else inner), value
