"""Layouts: the keys of the documents and chunks of a hierarchy in a store, for each format.

Zarr v2, section "Hierarchies"; Zarr v3, section "Stores"; the draft of v3, section "Storage keys". In 2021
software used the draft's name for another layout: documents below `meta/root`, chunks below `data/root`. A
layout is one frozen value. Code that has one knows the keys, and doesn't need the format.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from typing_extensions import override

from zom.dataclass import dataclass
from zom.errors import NotFound, PathError
from zom.formats.draft_extension import extensions_not_understood
from zom.formats.families import DRAFT, ENTRY_POINT, V2, V3
from zom.model.stored import to_documents
from zom.paths import check_stored_key, parse_path
from zom.portable import is_own_name
from zom.problems import no_warning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import Format
    from zom.formats.draft import EntryPoint
    from zom.model.family import Family, NodeKind
    from zom.model.spec import Spec
    from zom.stores.interface import Listing

__all__ = [
    "DRAFT_2021",
    "DRAFT_2022",
    "LAYOUTS",
    "V2_LAYOUT",
    "V3_LAYOUT",
    "Layout",
    "Sighting",
    "draft_layout",
    "entry_layout",
]

LayoutName = Literal["v2", "v3", "draft", "draft 2021"]

ENTRY_KEY: Final = "zarr.json"
"""The end of the key of a draft hierarchy's entry point, and of every document of v3."""


class Sighting(NamedTuple):
    """What a listing says about one name in a group."""

    ends: tuple[str, ...] | None = None
    """The ends of the keys of its documents, or None if that needs a read."""
    below: bool | None = None
    """Whether anything is below it, or None if that needs a read."""


_UNKNOWN: Final = Sighting()


@dataclass(frozen=True, slots=True)
class Layout:
    """The keys of the parts of each node. A path is `/a/b`, or `a/b` as in a key.

    A document is named by the end of its key, as in `Spec.to_documents`: `.zarray`, `zarr.json`,
    `.array.json`.

    >>> V2_LAYOUT.keys("/a/b", "array"), V2_LAYOUT.chunk_prefix("/a/b")
    (('a/b/.zarray', 'a/b/.zattrs'), 'a/b/')
    >>> V3_LAYOUT.documents("/a", V3.classes["group"]())
    {'a/zarr.json': {'zarr_format': 3, 'node_type': 'group'}}
    """

    name: LayoutName
    family: Family
    marks: tuple[tuple[str, NodeKind | None], ...]
    """The documents that define a node, each with the kind that it implies; the first one found counts."""
    extra: tuple[str, ...] = ()
    """The other documents that a node may have."""
    consolidated: str | None = None
    """The end of the key of consolidated metadata, if it is a document of its own."""
    inline: str | None = None
    """The member of a group's document that may hold consolidated metadata."""
    copy_key: str | None = None
    """The key, below `base`, of consolidated metadata that others wrote, and that zom only reads."""
    implicit_groups: bool = False
    """Whether a path with nodes below it is a group without a document."""
    flat_chunks: bool = False
    """Whether all chunks of an array are directly in its directory, as they are by default."""
    scalar_chunk: str | None = None
    """The key of the only chunk of a zero-dimensional array, if its document doesn't define it."""
    hidden_by: str | None = None
    """The document of another format that takes precedence if it is beside those of a node."""
    base: str = ""
    """The prefix of the hierarchy; "" except for a draft in a part of a store."""
    not_understood: tuple[str, ...] = ()
    """The extensions of the whole hierarchy that a reader of chunks must understand, and zom doesn't."""

    def is_asked_for(self, form: Format | None) -> bool:
        """Whether a node of the format `form` (any format if None) may have this layout.

        >>> V3_LAYOUT.is_asked_for("v3"), V3_LAYOUT.is_asked_for(None), V3_LAYOUT.is_asked_for("v2")
        (True, True, False)
        """
        return form is None or form == self.family.form

    def ends(self, kind: NodeKind) -> tuple[str, ...]:
        """The documents that a node of that kind may have, its main one first."""
        return (*(end for end, said in self.marks if said in {kind, None}), *self.extra)

    def key(self, path: str, end: str) -> str:
        """The key of the document of the node at `path` that ends in `end`.

        >>> V3_LAYOUT.key("/", "zarr.json"), V2_LAYOUT.key("/a", ".zattrs")
        ('zarr.json', 'a/.zattrs')
        """
        inner = path.strip("/")
        return f"{inner}/{end}" if inner else end

    def keys(self, path: str, kind: NodeKind) -> tuple[str, ...]:
        """The keys of all documents that a node of that kind may have, its main one first.

        >>> DRAFT_2022.keys("/a", "group"), DRAFT_2022.keys("/", "array")
        (('meta/a.group.json',), ('meta/array.json',))
        """
        return tuple(self.key(path, end) for end in self.ends(kind))

    def tried(self, path: str) -> tuple[str, ...]:
        """The keys to try if the kind of the node at `path` is unknown.

        >>> V2_LAYOUT.tried("/a")
        ('a/.zarray', 'a/.zgroup', 'a/.zattrs')
        """
        return tuple(self.key(path, end) for end in (*(end for end, _ in self.marks), *self.extra))

    def node_of(self, key: str) -> tuple[str, str] | None:
        """The path and end of a document's key, both below `base`; None for other keys, and in v2 and v3."""
        del key
        return None

    def place_of(self, key: str) -> tuple[str, str] | None:
        """The path and the end of a document's key, like `node_of`, but for keys and paths of the store.

        >>> replace(DRAFT_2022, base="x/").place_of("x/meta/a/b.array.json")
        ('/x/a/b', '.array.json')
        """
        found = self.node_of(key[len(self.base) :]) if key.startswith(self.base) else None
        return None if found is None else ("/" + f"{self.base}{found[0]}".strip("/"), found[1])

    def is_place(self, path: str) -> bool:
        """Whether `path` can be the path of a node: its keys must be valid.

        >>> V3_LAYOUT.is_place("a/b"), V3_LAYOUT.is_place("../b")
        (True, False)
        """
        try:
            check_stored_key(self.key(path, self.marks[0][0]))
        except PathError:
            return False
        return True

    def documents(self, path: str, spec: Spec) -> dict[str, dict[str, Any]]:
        """The stored documents of one node by key, without those of its members."""
        return {self.key(path, end): document for end, document in to_documents(spec).items()}

    def directory(self, path: str) -> str:
        """The prefix to list for the members of the group at `path`.

        >>> V3_LAYOUT.directory("/a"), DRAFT_2021.directory("/a")
        ('a/', 'meta/root/a/')
        """
        inner = path.strip("/")
        return f"{inner}/" if inner else ""

    def chunk_prefix(self, path: str) -> str:
        """The prefix of the key of each chunk of the array at `path`.

        >>> V3_LAYOUT.chunk_prefix("/a"), DRAFT_2022.chunk_prefix("/a")
        ('a/', 'data/a/')
        """
        return self.directory(path)

    def node_prefixes(self, path: str) -> tuple[str, ...]:
        """The prefixes that contain everything of the node at `path` except its own documents.

        >>> V3_LAYOUT.node_prefixes("/a"), DRAFT_2022.node_prefixes("/a")
        (('a/',), ('meta/a/', 'data/a/'))
        """
        return tuple(dict.fromkeys((self.directory(path), self.chunk_prefix(path))))

    def sightings(self, path: str, listing: Listing) -> dict[str, Sighting]:
        """The possible members of the group at `path`, by name, from the listing of its directory.

        >>> from zom.stores.interface import Listing
        >>> list(V3_LAYOUT.sightings("/", Listing(["zarr.json"], ["a/", ".zom.old/"])))
        ['a']
        """
        start = len(self.directory(path))
        names = (prefix[start:-1] for prefix in listing.prefixes)
        return {name: _UNKNOWN for name in names if not is_own_name(name)}


@dataclass(frozen=True, slots=True)
class _DraftLayout(Layout):
    """Documents in their own tree, beside the one of the chunks."""

    suffix: str = ".json"
    """The end of the keys of documents: `metadata_key_suffix` in the entry point."""
    meta: str = "meta/"
    data: str = "data/"
    root: str = "meta/"
    """The prefix of "group" in the key of the root's document."""

    def _inner(self, path: str) -> str:
        """`path` below the root of the hierarchy."""
        inner = path.strip("/")
        if not self.base:
            return inner
        if f"{inner}/" == self.base:
            return ""
        if not inner.startswith(self.base):
            raise NotFound(f"/{inner}: expected a path below /{self.base[:-1]}, the place of the hierarchy")
        return inner[len(self.base) :]

    @override
    def key(self, path: str, end: str) -> str:
        inner = self._inner(path)
        kind = end.removeprefix(".").removesuffix(".json")
        stem = f"{self.meta}{inner}." if inner else self.root
        return f"{self.base}{stem}{kind}{self.suffix}"

    @override
    def directory(self, path: str) -> str:
        inner = self._inner(path)
        return f"{self.base}{self.meta}{inner}/" if inner else f"{self.base}{self.meta}"

    @override
    def chunk_prefix(self, path: str) -> str:
        inner = self._inner(path)
        return f"{self.base}{self.data}{inner}/" if inner else f"{self.base}{self.data}"

    @override
    def node_of(self, key: str) -> tuple[str, str] | None:
        for end, kind in self.marks:
            tail = f".{kind}{self.suffix}"
            if key == f"{self.root}{kind}{self.suffix}":
                return "", end
            if key.startswith(self.meta) and key.endswith(tail) and len(key) > len(self.meta) + len(tail):
                return key[len(self.meta) : -len(tail)], end
        return None

    @override
    def sightings(self, path: str, listing: Listing) -> dict[str, Sighting]:
        start = len(self.directory(path))
        ends: dict[str, list[str]] = {}
        for end, kind in self.marks:
            tail = f".{kind}{self.suffix}"
            for key in listing.keys:
                name = key[start:]
                if name.endswith(tail) and len(name) > len(tail):
                    ends.setdefault(name[: -len(tail)], []).append(end)
        below = {name for prefix in listing.prefixes if not is_own_name(name := prefix[start:-1])}
        return {
            name: Sighting(tuple(ends.get(name, ())), name in below) for name in sorted(below | ends.keys())
        }


V3_LAYOUT: Final = Layout("v3", V3, ((ENTRY_KEY, None),), inline="consolidated_metadata")
"""Zarr v3: every node has its `zarr.json`."""

V2_LAYOUT: Final = Layout(
    "v2",
    V2,
    ((".zarray", "array"), (".zgroup", "group")),
    extra=(".zattrs",),
    consolidated=".zmetadata",
    flat_chunks=True,
    hidden_by=ENTRY_KEY,
)
"""Zarr v2: `.zarray` or `.zgroup`, and `.zattrs` if there are attributes."""

DRAFT_2022: Final = _DraftLayout(
    "draft", DRAFT, ((".array.json", "array"), (".group.json", "group")), implicit_groups=True
)
"""The draft of v3: `meta/<path>.array.json`."""

DRAFT_2021: Final = replace(
    DRAFT_2022,
    name="draft 2021",
    meta="meta/root/",
    data="data/root/",
    root="meta/root.",
    scalar_chunk="c0",
    copy_key="meta/root/consolidated/.zmetadata",
)
"""The draft of v3 as zarr-python 2 and others wrote it: `meta/root/<path>.array.json`."""


LAYOUTS: Final[Mapping[str, tuple[Layout, ...]]] = {
    "v2": (V2_LAYOUT,),
    "v3": (V3_LAYOUT,),
    "draft": (DRAFT_2022, DRAFT_2021),
}
"""The layouts of each format; the first is for new hierarchies."""


def draft_layout(entry: EntryPoint, base: str = "") -> Layout:
    """The layout of the draft hierarchy with the entry point `entry` at the prefix `base`.

    >>> from zom.formats.draft import EntryPoint
    >>> encoding = {"type": "json", "metadata_key_suffix": ".json"}
    >>> draft_layout(EntryPoint(metadata_encoding=encoding, extensions=()), "x").keys("/x/a", "array")
    ('x/meta/a.array.json',)
    """
    layout = DRAFT_2021 if entry.layout == "2021" else DRAFT_2022
    encoding = entry.metadata_encoding
    holder = entry.document if isinstance(encoding, str) else cast("Mapping[str, Any]", encoding)
    suffix = holder.get("metadata_key_suffix", ".json")
    names = parse_path(base)
    return replace(
        layout,
        suffix=suffix if isinstance(suffix, str) else ".json",
        base="/".join(names) + "/" if names else "",
        not_understood=tuple(extensions_not_understood(entry.extensions)),
    )


def entry_layout(text: bytes, base: str) -> Layout:
    """The layout that the text of an entry point defines; problems in it are reported when it is read."""
    entry = ENTRY_POINT.classes["entry point"].parse(text, "lenient", on_warning=no_warning)
    return draft_layout(cast("EntryPoint", entry), base)
