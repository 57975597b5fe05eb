"""Nodes in a store: the path of each, and its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.dataclass import dataclass
from zom.hierarchy.stored.findings import NOT_JSON
from zom.hierarchy.stored.layout import ENTRY_KEY
from zom.json.python_value import is_dict
from zom.json.read import read_json
from zom.model.assembly import assemble
from zom.model.stored import model_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.extension.datatype import Format
    from zom.hierarchy.stored.layout import Layout
    from zom.model.family import NodeKind
    from zom.model.spec import Spec
    from zom.problems import Fault

__all__ = [
    "Document",
    "StoredNode",
    "is_entry",
    "own_document",
    "whole_document",
]


_UNREAD: Final = object()


class Document:
    """A document in a store; its text is parsed on first use of `value`."""

    __slots__ = ("_value", "key", "steps", "text")

    def __init__(self, key: str, text: bytes, value: Any = _UNREAD, steps: tuple[str, ...] = ()) -> None:
        self.key = key
        self.text = text
        self.steps = steps
        """The JSON path to it in the text, if that is consolidated metadata."""
        self._value = value

    @property
    def value(self) -> Any:
        """The text as immutable JSON, or NOT_JSON if it is not JSON."""
        if self._value is _UNREAD:
            faults: list[Fault] = []
            value = read_json(self.text, faults)
            self._value = NOT_JSON if value is None and faults else value
        return self._value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoredNode:
    """A node in a store: its path, its documents, and what is known of the nodes below it.

    >>> from zom.hierarchy.stored.layout import V3_LAYOUT
    >>> node = StoredNode.of("/a", V3_LAYOUT, {"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
    >>> node.kind, str(node), node.spec().kind
    ('group', 'a v3 group', 'group')
    """

    path: str
    """Its path in the store, as `/a/b`."""
    layout: Layout
    documents: Mapping[str, Document]
    """Its documents by the ends of their keys, main document first; none for an implicit group."""
    below: bool | None = None
    """Whether anything is below it, if known."""
    is_assumed: bool = False
    """Whether it is a directory without a document, in a format whose groups have one."""
    members: Mapping[str, StoredNode] | None = None
    """The nodes directly below it by name, or None if unknown."""

    @classmethod
    def of(cls, path: str, layout: Layout, texts: Mapping[str, bytes]) -> StoredNode:
        """The node at `path` with these documents, by the ends of their keys."""
        return cls(path, layout, {end: Document(layout.key(path, end), text) for end, text in texts.items()})

    @property
    def inner(self) -> str:
        """Its path as in a key: `a/b`; "" for the root."""
        return self.path[1:]

    @property
    def texts(self) -> dict[str, bytes]:
        """The texts of its documents by the ends of their keys."""
        return {end: document.text for end, document in self.documents.items()}

    @property
    def kind(self) -> NodeKind | None:
        """The kind that its key implies, otherwise that in its document; None if neither says."""
        for end, said in self.layout.marks:
            if end in self.documents:
                return said or _said(self.documents[end].value)
        return None if self.documents else "group"

    @property
    def is_entry(self) -> bool:
        """Whether its document is the entry point of a draft hierarchy, so it is not a node."""
        document = self.documents.get(ENTRY_KEY)
        return document is not None and b"metadata_encoding" in document.text and is_entry(document.value)

    @property
    def form(self) -> Format:
        """Its format."""
        return "draft" if self.is_entry else self.layout.family.form

    def spec(self) -> Spec | None:
        """Its spec without members, or None if its documents can't be read or are invalid."""
        values = {end: document.value for end, document in self.documents.items()}
        kind = self.kind
        if kind is None or self.is_entry or any(each is None or each is NOT_JSON for each in values.values()):
            return None
        values.pop(self.layout.consolidated or "", None)
        family = self.layout.family
        return assemble(family.classes[kind], model_document(family, values), "lenient")[0]

    def walk(self) -> Iterator[StoredNode]:
        """This node and all below it, groups before their members."""
        waiting: list[StoredNode] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.members:
                waiting.extend(reversed(list(node.members.values())))

    def __str__(self) -> str:
        if self.is_entry:
            return "a draft hierarchy"
        return f"a {self.layout.name} {self.kind or 'document that cannot be read'}"


def _said(value: Any) -> NodeKind | None:
    """The kind that a v3 document says."""
    said: object = value.get("node_type") if is_dict(value) else None
    return "array" if said == "array" else ("group" if said == "group" else None)


def is_entry(value: Any) -> bool:
    """Whether a document is the entry point of a draft hierarchy."""
    return is_dict(value) and isinstance(value.get("zarr_format"), str) and "metadata_encoding" in value


def own_document(node: StoredNode) -> Any:
    """The node's document in the object model's form, without consolidated metadata."""
    value = whole_document(node)
    if node.layout.inline is not None and isinstance(value, dict) and node.layout.inline in value:
        document = cast("dict[str, Any]", value)
        return {name: item for name, item in document.items() if name != node.layout.inline}
    return cast("Any", value)


def whole_document(node: StoredNode) -> Any:
    """Like `own_document`, but with inline consolidated metadata."""
    if not node.documents:
        return dict(node.layout.family.constants["group"])
    return model_document(node.layout.family, {end: each.value for end, each in node.documents.items()})
