"""zarr-python 2: hierarchies of v2 in every kind of store, and of the draft of v3 as it was in 2021."""

# ruff: noqa: BLE001 - whatever a writer may raise, it is left out

from __future__ import annotations

import contextlib
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import cases
from written import Node, Store, data, dump, label, may_refuse, plain_name

# Before zarr is imported: it looks once.
os.environ["ZARR_V3_EXPERIMENTAL_API"] = "1"
os.environ["ZARR_V3_SHARDING"] = "1"

import numcodecs as nc
import numpy as np
import zarr
import zarr._storage.v3
from zarr._storage.v3_storage_transformers import ShardingStorageTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STRANGE = ("a b", "é", "東京", "a.b", "%20", "c", "0", "A", "a-b_c~", "x" * 200)


def versions() -> str:
    return (
        f"zarr-python {zarr.__version__} (numcodecs {nc.__version__}) on Python "
        f"{sys.version_info[0]}.{sys.version_info[1]}"
    )


# --- what it finds ---------------------------------------------------------------------------------------


def opened(place: str, form: str) -> Any:
    three = "V3" if form == "draft" else ""
    if place.endswith(".zip"):
        return getattr(zarr, f"ZipStore{three}")(place, mode="r")
    if place.endswith(".sqlite"):
        return getattr(zarr, f"SQLiteStore{three}")(place)
    return getattr(zarr, f"DirectoryStore{three}")(place)


def nodes(place: str, form: str, *, consolidated: bool = False) -> Iterator[Node]:
    store = opened(place, form)
    with contextlib.closing(store) if hasattr(store, "close") else contextlib.nullcontext():
        version = 3 if form == "draft" else 2
        if form == "v2" and ".zarray" in store:
            array = zarr.open_array(store=store, mode="r")
            yield Node("/", dict(array.attrs), array[...])
            return
        if form == "draft" and not {"meta/root.group.json", "meta/root/.group.json"} & set(store):
            yield from _without_groups(store)
            return
        if consolidated:
            root = zarr.open_consolidated(store, mode="r")
        else:
            root = zarr.open_group(store=store, mode="r", zarr_version=version)
        found: list[Any] = []
        root.visititems(lambda path, node: found.append((path, node)))
        for path, node in [("", root), *found]:
            elements = node[...] if isinstance(node, zarr.Array) else None
            yield Node(f"/{path}", dict(node.attrs), elements)


def _without_groups(store: Any) -> Iterator[Node]:
    """Arrays of the draft whose parents have no documents: zarr-python opens each by its path."""
    paths = sorted(
        key[len("meta/root") : -len(".array.json")] for key in store if key.endswith(".array.json")
    )
    for path in paths:
        array = zarr.open_array(store=store, path=path[1:], mode="r", zarr_version=3)
        yield Node(path, dict(array.attrs), array[...])


# --- what it writes --------------------------------------------------------------------------------------


def root_of(store: Any, form: str) -> Any:
    if isinstance(store, str):
        store = zarr.DirectoryStoreV3(store) if form == "draft" else zarr.DirectoryStore(store)
    return zarr.open_group(store=store, mode="w", zarr_version=3 if form == "draft" else 2)


def put(root: Any, name: str, elements: Any, **options: Any) -> None:
    """Make an array and write all but its last row; leave out what zarr-python can't read again."""
    try:
        array = root.create_dataset(
            plain_name(name), **{"shape": elements.shape, "dtype": elements.dtype, **options}
        )
        array[:-1] = elements[:-1]
        array[...]
    except Exception:
        with contextlib.suppress(Exception):
            del root[plain_name(name)]


def types(dtype: Any, place: str, form: str) -> None:
    root = root_of(place, form)
    root.attrs["type"] = label(dtype)
    elements = data(dtype)
    for name, options in (
        ("default", {}),
        ("plain", {"chunks": (3, 4), "compressor": None}),
        ("fortran", {"chunks": (3, 4), "order": "F"}),
        ("filled", {"chunks": (3, 4), "write_empty_chunks": False, "fill_value": elements[0, 0]}),
    ):
        put(root, name, elements, **options)
    with may_refuse():
        root.create_dataset("scalar", shape=(), dtype=dtype)[...] = elements[3, 2]
    with may_refuse():
        root.create_dataset("empty", shape=(0, 4), dtype=dtype)
    with may_refuse():
        root.create_dataset("unwritten", shape=(7, 5), chunks=(3, 4), dtype=dtype, fill_value=elements[1, 1])
    for number, fill in enumerate(cases.fills(dtype)):
        # Without a fill value, chunks that were never written hold whatever was in memory.
        count = 5 if fill is None else 2
        with may_refuse():
            made = root.create_dataset(f"fill{number}", shape=(5,), chunks=(2,), dtype=dtype, fill_value=fill)
            made[:count] = elements.ravel()[:count]


def codecs(chain: Any, place: str, form: str) -> None:
    root = root_of(place, form)
    for dtype in ("<f8", "|b1", ">i2"):
        put(root, label(dtype), data(dtype), chunks=(3, 4), filters=chain[0], compressor=chain[1])


def objects(number: int, place: str, form: str) -> None:
    """Elements of variable length, and whatever Python has, by each codec for them."""
    root = root_of(place, form)
    filters, compressor = list(cases.object_codecs())[number]
    kinds = {"vlen-utf8": "string", "vlen-bytes": "bytes"}
    kind = kinds.get(filters[0].codec_id, "string")
    elements = data(kind) if filters[0].codec_id != "categorize" else np.array([["x", "y"]] * 3, object)
    if filters[0].codec_id == "vlen-array":
        elements = np.empty(4, object)
        elements[:] = [np.arange(n, dtype="<i4") for n in (3, 0, 1, 2)]
    options = {"dtype": object, "object_codec": filters[0], "filters": filters[1:], "compressor": compressor}
    for fill in (0, "", None):
        put(root, f"fill {fill!r}", np.concatenate([elements, elements[:1]]), **options, fill_value=fill)
    put(root, "chunked", elements, **options, chunks=(2, *elements.shape[1:]))
    put(root, "fortran", elements, **options, order="F")


def nested(store: Any, form: str) -> Any:
    root = root_of(store, form)
    root.attrs["title"] = "a"
    root.create_group("a").create_group("b").attrs["n"] = 1
    root.create_group("a/empty")
    root.create_dataset("a/b/x", shape=(4, 5), chunks=(2, 2), dtype="f4")[:] = data("<f4", (4, 5))
    root.create_dataset("t", shape=(3,), dtype="i8", fill_value=7)
    root.create_dataset("zero", shape=(), dtype="u1")[...] = 3
    return root


def by_store(kind: str, options: dict[str, Any], place: str, form: str) -> None:
    three = "V3" if form == "draft" else ""
    made = getattr(zarr._storage.v3 if form == "draft" else zarr.storage, f"{kind}{three}")
    if kind in {"MemoryStore", "KVStore", "DBMStore"}:
        inner = f"{place}.dbm" if kind == "DBMStore" else {}
        store = made() if kind == "MemoryStore" else made(inner)
        nested(store, form)
        dump(((key, bytes(store[key])) for key in list(store)), place)
        return
    store = made(place, **options)
    root = nested(store, form)
    if kind == "ZipStore":
        root.attrs["n"] = 1
        root.attrs["n"] = 2
    if hasattr(store, "close"):
        store.close()


def consolidated(how: str, place: str, form: str) -> None:
    root = nested(place, form)
    with may_refuse():
        root.create_dataset("nan", shape=(3,), dtype="<f8", fill_value=float("nan")).attrs["m"] = float("nan")
    # In the draft it needs a path, and makes a group of it.
    path = {"path": ""} if form == "draft" else {}
    zarr.consolidate_metadata(root.store, **path)
    if how == "stale":
        root.create_group("added")
        del root["t"]
        root["zero"].attrs["n"] = 2


def attributes(place: str, form: str) -> None:
    root = root_of(place, form)
    for number, given in enumerate(cases.ATTRIBUTES):
        root.create_group(f"g{number}").attrs.update(given)
        array = root.create_dataset(f"a{number}", shape=(2,), dtype="<f8")
        array[...] = 1
        array.attrs.put(given)
    root.attrs["later"] = [float("nan"), {"é": float("-inf")}, None, 2**70, "\u2028\x00", ""]
    root.attrs.update({"later still": {}, "": 1, 1: 2} if form == "v2" else {"later still": {}})
    del root.attrs["later still"]


def changed(place: str, form: str) -> None:
    root = nested(place, form)
    root.create_dataset("t", shape=(5,), chunks=(2,), dtype="<i2", overwrite=True)[...] = 1
    root["t"].resize(9)
    root["t"].append(np.array([3, 4], "<i2"))
    root["a/b/x"].resize(3, 9)
    del root["zero"]
    root.require_group("a/more").require_dataset("y", shape=(2,), dtype="<f4")
    if form == "v2":
        root.move("a/more", "moved")
    zarr.copy(root["t"], root, name="copied")


def conveniences(place: str, form: str) -> None:
    root = root_of(place, form)
    root.array("array", data("<i4"), chunks=(3, 3))
    for name in ("zeros", "ones", "full"):
        more = {"fill_value": 3.5} if name == "full" else {}
        getattr(root, name)(name, shape=(5, 4), chunks=(2, 2), **more)
    for name in ("zeros_like", "ones_like"):
        getattr(root, name)(name, root["array"])
    if form == "v2":
        zarr.save_array(f"{place}/saved", data("<f4"))
        zarr.save_group(f"{place}/group", x=data("<f4"), y=data("|b1"))
        source = zarr.group({})
        source.create_dataset("x/y", data=data("<i4"), chunks=(3, 3))
        zarr.copy_store(source.store, root.store, dest_path="from a store")
        zarr.copy_all(source, root.create_group("all"))


def names(place: str, form: str) -> None:
    root = root_of(place, form)
    for name in STRANGE:
        with may_refuse():
            root.create_dataset(name, shape=(3,), chunks=(2,), dtype="|u1")[...] = [1, 2, 3]
            root.create_group(f"in {name}"[:200]).create_group(name)


def separators(place: str, form: str) -> None:
    root = root_of(place, form)
    for separator, shape in ((s, n) for s in "./" for n in ((), (7,), (7, 5), (0, 3))):
        called = f"{'dot' if separator == '.' else 'slash'}-{len(shape)}-{min(shape, default=1)}"
        chunks = tuple(max(n // 2, 1) for n in shape)
        with may_refuse():
            root.create_dataset(
                called, shape=shape, chunks=chunks, dtype="<i4", dimension_separator=separator
            )[...] = data("<i4", shape)


def flat(place: str, form: str) -> None:
    array = zarr.open_array(place, mode="w", shape=(7, 5), chunks=(3, 4), dtype="<i4")
    array[...] = data("<i4")
    array.attrs["n"] = 1


def implicit(place: str, form: str) -> None:
    """Arrays by paths alone; in the draft, no document is written for their parents."""
    store = zarr.DirectoryStoreV3(place) if form == "draft" else zarr.DirectoryStore(place)
    version = {"zarr_version": 3 if form == "draft" else 2}
    for path in ("x", "a/b/y"):
        made = zarr.create(store=store, path=path, shape=(4,), chunks=(2,), dtype="<i4", **version)
        made[...] = data("<i4", (4,))


def shards(place: str, form: str) -> None:
    root_of(place, form)
    for number, (per_shard, dtype) in enumerate(
        (p, t) for p in ((2, 2), (1, 3)) for t in ("<f4", "|u1", ">i2")
    ):
        sharding = ShardingStorageTransformer("indexed", chunks_per_shard=per_shard)
        array = zarr.create(
            store=zarr.DirectoryStoreV3(place), path=f"s{number}", shape=(7, 5), chunks=(2, 2), dtype=dtype,
            storage_transformers=[sharding], zarr_version=3,
        )  # fmt: skip
        array[1:6, :4] = data(dtype)[1:6, :4]


STRUCTURES: dict[str, Callable[[str, str], None]] = {
    "attributes": attributes,
    "changed": changed,
    "consolidated": partial(consolidated, "root"),
    "consolidated and stale": partial(consolidated, "stale"),
    "conveniences": conveniences,
    "implicit parents": implicit,
    "names": names,
    "separators": separators,
}
KINDS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("DirectoryStore", {}, ""),
    ("NestedDirectoryStore", {}, ""),
    ("FSStore", {}, ""),
    ("FSStore", {"dimension_separator": "/"}, ""),
    ("FSStore", {"key_separator": "/", "normalize_keys": True}, ""),
    ("ZipStore", {"mode": "w"}, ".zip"),
    ("ZipStore", {"mode": "w", "compression": 8}, ".zip"),
    ("DBMStore", {}, ""),
    ("SQLiteStore", {}, ".sqlite"),
    ("MemoryStore", {}, ""),
    ("KVStore", {}, ""),
)


def stores() -> Iterator[Store]:
    for form in ("v2", "draft"):
        for dtype in cases.EVERY:
            yield Store(f"{form} type {label(dtype)}", form, partial(types, dtype))
        for name, chain in chains():
            yield Store(f"{form} codecs {name}", form, partial(codecs, chain))
        for number, (filters, compressor) in enumerate(cases.object_codecs()):
            ids = [one.codec_id for one in (*filters, *([compressor] if compressor else ()))]
            yield Store(f"{form} objects {' '.join(ids)}", form, partial(objects, number))
        for name, write in STRUCTURES.items():
            yield Store(f"{form} {name}", form, write)
        for kind, options, suffix in KINDS:
            if form == "draft" and kind == "NestedDirectoryStore":
                continue
            told = " ".join(f"{name} {value}" for name, value in options.items() if name != "mode")
            yield Store(f"{form} {kind} {told}".strip(), form, partial(by_store, kind, options), suffix)
    yield Store("v2 array at the root", "v2", flat)
    yield Store("draft shards", "draft", shards)


def chains() -> Iterator[tuple[str, Any]]:
    seen: dict[str, Any] = {}
    for dtype in ("<f8", "|b1"):
        for filters, compressor in cases.numcodecs_v2(dtype):
            told = " ".join(
                f"{one.codec_id} {' '.join(map(str, one.get_config().values()))}"
                for one in (*(filters or ()), *([compressor] if compressor else ()))
            )
            seen[told or "none"] = (filters, compressor)
    yield from seen.items()
