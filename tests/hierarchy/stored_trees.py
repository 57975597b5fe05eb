"""Hierarchies for the tests of reading, as the documents that lie in a store, and a store that is far."""

from __future__ import annotations

import json
from dataclasses import replace

from zom import draft, v2, v3
from zom.hierarchy.stored.layout import DRAFT_2021, DRAFT_2022, V2_LAYOUT, V3_LAYOUT
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore

LAYOUTS = {"v2": V2_LAYOUT, "v3": V3_LAYOUT, "draft": DRAFT_2022, "draft 2021": DRAFT_2021}

URI = "https://purl.org/zarr/spec/core/3.0"
OLD_URI = "https://purl.org/zarr/spec/protocol/core/3.0"
ENTRIES = {
    "draft": {
        "zarr_format": URI,
        "metadata_encoding": {"type": "json", "metadata_key_suffix": ".json"},
        "extensions": [],
    },
    "draft 2021": {
        "zarr_format": OLD_URI,
        "metadata_encoding": OLD_URI,
        "metadata_key_suffix": ".json",
        "extensions": [],
    },
}


def tree_v3():
    return v3.GroupSpec(
        attributes={"title": "a"},
        members={
            "a": v3.GroupSpec(
                members={
                    "b": v3.GroupSpec(members={"x": v3.ArraySpec.build(shape=(4,), dtype="int8")}),
                    "empty": v3.GroupSpec(members={}),
                }
            ),
            "t": v3.ArraySpec.build(shape=(3, 2), dtype="float32", attributes={"units": "K"}),
        },
    )


def tree_v2():
    return v2.GroupSpec(
        attributes={"title": "a"},
        members={
            "a": v2.GroupSpec(
                members={
                    "b": v2.GroupSpec(members={"x": v2.ArraySpec.build(shape=(4,), dtype="int8")}),
                    "empty": v2.GroupSpec(members={}),
                }
            ),
            "t": v2.ArraySpec.build(shape=(3, 2), dtype="float32", attributes={"units": "K"}),
        },
    )


def tree_draft():
    return draft.GroupSpec(
        attributes={"title": "a"},
        members={
            "a": draft.GroupSpec(
                members={
                    "b": draft.GroupSpec(
                        attributes={}, members={"x": draft.ArraySpec.build(shape=(4,), dtype="int8")}
                    )
                }
            ),
            "empty": draft.GroupSpec(attributes={}, members={}),
            "t": draft.ArraySpec.build(shape=(3, 2), dtype="float32", attributes={"units": "K"}),
        },
    )


TREES = {"v2": tree_v2, "v3": tree_v3, "draft": tree_draft, "draft 2021": tree_draft}


def stored(spec, name=None, path=""):
    """The documents of the hierarchy by their keys, below `path`."""
    layout = LAYOUTS[name or spec.family.form]
    if layout.name in ENTRIES:
        layout = replace(layout, base=f"{path}/" if path else "")
    texts = {}
    for place, node in spec.walk():
        for key, document in layout.documents(f"{path}{place}".rstrip("/"), node).items():
            texts[key] = json.dumps(document, indent=1).encode()
    if layout.name in ENTRIES:
        texts[f"{layout.base}zarr.json"] = json.dumps(ENTRIES[layout.name]).encode()
    return texts


def store_of(spec, name=None, **more):
    return MemoryStore({**stored(spec, name), **{key: _bytes(value) for key, value in more.items()}})


def _bytes(value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


class Far(WrapperStore):
    """A store that says that it works on many requests at once, and counts what it is asked."""

    def __init__(self, inner, *, parallel=64, listable=True):
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, parallel=parallel, listable=listable)
        self.requests = 0
        self.listed = []

    def _read(self, key, byte_range):
        self.requests += 1
        return super()._read(key, byte_range)

    def _read_many(self, requests):
        self.requests += len(requests)
        return super()._read_many(requests)

    def _list_dir(self, prefix):
        self.requests += 1
        self.listed.append(prefix)
        return super()._list_dir(prefix)
