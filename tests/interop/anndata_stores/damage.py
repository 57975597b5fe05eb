"""Damage to a store's documents, one at a time: attributes taken away or changed, nodes gone, lengths wrong."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Damage", "damages", "encoding_at"]


_VALUES: tuple[Any, ...] = (None, 7, "nope", [], {}, [1, 2, 3], True)
_ENCODINGS = {
    "array": "0.2.0", "string-array": "0.2.0", "dict": "0.1.0", "dataframe": "0.2.0", "csr_matrix": "0.1.0",
    "csc_matrix": "0.1.0", "categorical": "0.2.0", "nullable-integer": "0.1.0", "numeric-scalar": "0.2.0",
}  # fmt: skip


class Damage(NamedTuple):
    """What was done, to a node of which type, and the store's files afterwards."""

    what: str
    encoding: str
    path: str
    files: dict[str, bytes]

    def __str__(self) -> str:
        return f"{self.what} at /{self.path} ({self.encoding})"


class _Nodes:
    """The nodes of a store: where their documents and attributes lie."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.is_v3 = "zarr.json" in files
        ends = ("zarr.json",) if self.is_v3 else (".zarray", ".zgroup")
        found = {key: end for key in files for end in ends if key == end or key.endswith(f"/{end}")}
        self.keys = {key.removesuffix(end).rstrip("/"): key for key, end in sorted(found.items())}

    def document(self, path: str) -> Any:
        return json.loads(self.files[self.keys[path]])

    def is_array(self, path: str) -> bool:
        return "shape" in self.document(path)

    def attributes_key(self, path: str) -> str:
        return self.keys[path] if self.is_v3 else f"{path}/.zattrs".lstrip("/")

    def attributes(self, path: str) -> dict[str, Any]:
        text = self.files.get(self.attributes_key(path), b"{}")
        value = json.loads(text)
        return value.get("attributes", {}) if self.is_v3 else value

    def with_attributes(self, path: str, attributes: dict[str, Any]) -> dict[str, bytes]:
        value = {**self.document(path), "attributes": attributes} if self.is_v3 else attributes
        return {**self.files, self.attributes_key(path): json.dumps(value).encode()}

    def with_document(self, path: str, document: Any) -> dict[str, bytes]:
        return {**self.files, self.keys[path]: json.dumps(document).encode()}

    def without(self, path: str) -> dict[str, bytes]:
        return {key: text for key, text in self.files.items() if not key.startswith(f"{path}/")}

    def renamed(self, path: str) -> dict[str, bytes]:
        return {
            (f"{path}_{key.removeprefix(path)}" if key.startswith(f"{path}/") else key): text
            for key, text in self.files.items()
        }


def encoding_at(attributes: dict[str, Any]) -> str:
    found = attributes.get("encoding-type")
    return found if isinstance(found, str) else "no type"


def damages(files: dict[str, bytes]) -> Iterator[Damage]:
    """Every damage to the store, in a fixed order. Consolidated metadata is taken away first: it would hide it."""
    plain = {key: text for key, text in files.items() if key != ".zmetadata"}
    if "zarr.json" in plain:
        root = json.loads(plain["zarr.json"])
        root.pop("consolidated_metadata", None)
        plain["zarr.json"] = json.dumps(root).encode()
    nodes = _Nodes(plain)
    for path in nodes.keys:
        attributes = nodes.attributes(path)
        encoding = encoding_at(attributes)
        for what, changed in _attributes(attributes):
            yield Damage(what, encoding, path, nodes.with_attributes(path, changed))
        if path:
            where = f"member of {encoding_at(nodes.attributes(path.rpartition('/')[0]))}"
            yield Damage(f"taken away, a {where}", encoding, path, nodes.without(path))
            yield Damage(f"renamed, a {where}", encoding, path, nodes.renamed(path))
        if nodes.is_array(path):
            for what, document in _arrays(nodes.document(path)):
                yield Damage(what, encoding, path, nodes.with_document(path, document))


def _attributes(attributes: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in attributes:
        rest = {key: value for key, value in attributes.items() if key != name}
        yield f"without {name}", rest
        for value in _VALUES:
            yield f"{name} is {json.dumps(value)}", {**attributes, name: value}
    if "encoding-type" in attributes:
        for encoding, version in _ENCODINGS.items():
            if encoding != attributes["encoding-type"]:
                yield (
                    f"called {encoding}",
                    {**attributes, "encoding-type": encoding, "encoding-version": version},
                )
        for version in ("0.0.1", "0.3.0", "1.0.0"):
            yield f"version {version}", {**attributes, "encoding-version": version}
    if attributes:
        yield "without attributes", {}


def _arrays(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    shape = document["shape"]
    for place in range(len(shape)):
        for by in (-1, 1):
            if shape[place] + by >= 0:
                changed = copy.deepcopy(document)
                changed["shape"][place] += by
                yield f"{'longer' if by > 0 else 'shorter'} along dimension {place}", changed
