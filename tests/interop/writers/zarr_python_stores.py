"""zarr-python 3: hierarchies of v2 and v3."""

# ruff: noqa: BLE001 - whatever a writer may raise, it is left out

from __future__ import annotations

import contextlib
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cases
import numpy as np
import zarr
from written import Node, Store, data, dump, label, may_refuse, plain_name
from zarr import codecs as zc
from zarr.dtype import VariableLengthBytes
from zarr.storage import FsspecStore, LocalStore, MemoryStore, ZipStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NUMBERS = ("<i4", "<f8", "|u1")
STRANGE = ("a b", "é", "東京", "a.b", "%20", "c", "0", "A", "a-b_c~", "zarr", ".hidden", "x" * 200)


def versions() -> str:
    return f"zarr-python {zarr.__version__} on Python {sys.version_info[0]}.{sys.version_info[1]}"


# --- what it finds ---------------------------------------------------------------------------------------


def nodes(place: str, form: str, *, consolidated: bool = False) -> Iterator[Node]:
    with contextlib.ExitStack() as stack:
        store: Any = stack.enter_context(ZipStore(place, mode="r")) if place.endswith(".zip") else place
        with zarr.config.set({"array.rectilinear_chunks": True}):
            root: Any = zarr.open(store, mode="r", zarr_format=int(form[1]), use_consolidated=consolidated)
            yield _node("/", root)
            if isinstance(root, zarr.Group):
                members = root.members(max_depth=None, use_consolidated_for_children=consolidated)
                for path, member in members:
                    yield _node(f"/{path}", member)


def _node(path: str, node: Any) -> Node:
    if isinstance(node, zarr.Group):
        return Node(path, dict(node.attrs))
    read = node[...]
    plain = isinstance(read, (str, bytes)) and node.dtype.kind in "OT"
    return Node(path, dict(node.attrs), np.array(read, object) if plain else np.asarray(read))


# --- what it writes --------------------------------------------------------------------------------------


def root_of(place: Any, form: str, **more: Any) -> Any:
    return zarr.create_group(place, zarr_format=int(form[1]), **more)


def types(dtype: Any, place: str, form: str) -> None:
    """Every way to make an array of a data type with what is chosen for you."""
    root = root_of(place, form, attributes={"type": label(dtype)})
    elements = data(dtype)
    given = VariableLengthBytes() if dtype == "bytes" else dtype
    make = partial(root.create_array, dtype=given)
    for name, options in (
        ("default", {}),
        ("plain", {"chunks": (3, 4), "compressors": None}),
        ("fortran", {"chunks": (3, 4), "order": "F"}),
        ("part", {"chunks": (3, 4), "config": {"write_empty_chunks": True}}),
    ):
        with may_refuse():
            array = make(name, shape=(7, 5), **options)
            array[: 2 if name == "part" else None] = elements[: 2 if name == "part" else None]
    with may_refuse():
        make("unwritten", shape=(7, 5), chunks=(3, 4))
    with may_refuse():
        make("scalar", shape=())[...] = elements[3, 2]
    with may_refuse():
        make("empty", shape=(0, 4), chunks=(1, 4))
    for number, fill in enumerate(fills(dtype)):
        with may_refuse():
            make(f"fill {number}", shape=(5,), chunks=(2,), fill_value=fill)[:2] = elements[0, :2]
    if form == "v3":
        with may_refuse():
            make("shards", shape=(7, 5), chunks=(2, 2), shards=(4, 4))[...] = elements


def fills(dtype: Any) -> Iterator[Any]:
    if dtype in cases.VARIABLE:
        yield from (b"", b"x", None) if dtype == "bytes" else ("", "é", None)
    else:
        yield from cases.fills(dtype)


def codecs(chain: dict[str, Any], place: str, form: str) -> None:
    root = root_of(place, form)
    for dtype in ("<f8", "|b1", ">i2"):
        put(root, plain_name(dtype), data(dtype), shape=(7, 5), chunks=(3, 4), dtype=dtype, **chain)
    if form == "v3":
        sharded = {"shape": (8, 8), "chunks": (2, 4), "shards": (4, 8), "dtype": "<i4"}
        put(root, "shards", data("<i4", (8, 8)), **sharded, **chain)


def put(root: Any, name: str, elements: Any, **options: Any) -> None:
    """Make an array and write all but its last row; leave out what zarr-python can't read again."""
    try:
        trial = zarr.create_array(MemoryStore(), zarr_format=root.metadata.zarr_format, **options)
        trial[:-1] = elements[:-1]
        trial[...]
    except Exception:
        return
    root.create_array(name, **options)[:-1] = elements[:-1]


def chains(form: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if form == "v2":
        seen: dict[str, dict[str, Any]] = {}
        for dtype in ("<f8", "|b1"):
            for filters, compressor in cases.numcodecs_v2(dtype):
                told = " ".join(
                    f"{one.codec_id} {' '.join(map(str, one.get_config().values()))}"
                    for one in (*(filters or ()), *([compressor] if compressor else ()))
                )
                seen[told or "none"] = {"filters": filters, "compressors": compressor}
        yield from seen.items()
        return
    for number, chain in enumerate(_v3_chains()):
        names = [
            type(one).__name__
            for part in chain.values()
            for one in (part if isinstance(part, tuple) else (part,))
        ]
        yield f"{number} {' '.join(names) or 'default'}", chain


def _v3_chains() -> list[dict[str, Any]]:
    from by_zarr_python import v3_chains

    found: dict[str, dict[str, Any]] = {}
    for dtype in ("<f8", "|b1", "<i4"):
        for chain in v3_chains(dtype, 2):
            found.setdefault(str(chain), chain)
    return list(found.values())


def separators(place: str, form: str) -> None:
    root = root_of(place, form)
    for separator in "./":
        for name in ("v2",) if form == "v2" else ("default", "v2"):
            key = {"name": name, "separator": separator}
            for shape in ((), (7,), (7, 5), (0, 3)):
                root.create_array(
                    f"{name} {'dot' if separator == '.' else 'slash'} {len(shape)} {min(shape, default=1)}",
                    shape=shape, chunks=tuple(max(n // 2, 1) for n in shape), dtype="<i4", chunk_key_encoding=key,
                )[...] = data("<i4", shape)  # fmt: skip


def nested(place: Any, form: str) -> Any:
    root = root_of(place, form, attributes={"title": "a"})
    root.create_group("a").create_group("b", attributes={"n": 1})
    root.create_group("a/empty")
    root.create_array("a/b/x", shape=(4, 5), chunks=(2, 2), dtype="<f4")[...] = data("<f4", (4, 5))
    root.create_array("t", shape=(3,), dtype="<i8", fill_value=7)
    root.create_array("zero", shape=(), dtype="|u1")[...] = 3
    return root


def deep(place: str, form: str) -> None:
    root_of(place, form).create_array("/".join("abcdefghijklmnopqrst"), shape=(2,), dtype="|u1")[...] = 1


def many(place: str, form: str) -> None:
    root = root_of(place, form)
    for number in range(30):
        root.create_group(f"g{number}", attributes={"n": number})


def names(place: str, form: str) -> None:
    root = root_of(place, form)
    for name in STRANGE:
        with may_refuse():
            root.create_array(name, shape=(3,), chunks=(2,), dtype="|u1")[...] = [1, 2, 3]
            root.create_group(f"in {name}"[:200]).create_group(name)


def attributes(place: str, form: str) -> None:
    root = root_of(place, form)
    for number, given in enumerate(cases.ATTRIBUTES):
        root.create_group(f"g{number}", attributes=given)
        root.create_array(f"a{number}", shape=(2,), dtype="<f8", attributes=given)[...] = 1
    root.attrs["later"] = [float("nan"), {"é": float("-inf")}, None, 2**70, "\u2028\x00", ""]
    root.attrs.update({"later still": {}, "": 1})
    del root.attrs["later still"]


def changed(place: str, form: str) -> None:
    root = nested(place, form)
    root.create_array("t", shape=(5,), chunks=(2,), dtype="<i2", overwrite=True)[...] = 1
    root["t"].resize((9,))
    root["t"].append(np.array([3, 4], "<i2"))
    root["a/b/x"].resize((3, 9))
    del root["zero"]
    root.require_group("a/more").require_array("y", shape=(2,), dtype="<f4")


def flat(place: str, form: str) -> None:
    array = zarr.create_array(place, zarr_format=int(form[1]), shape=(7, 5), chunks=(3, 4), dtype="<i4")
    array[...] = data("<i4")
    array.attrs["n"] = 1


def empty_group(place: str, form: str) -> None:
    root_of(place, form)


def consolidated(where: str, place: str, form: str) -> None:
    root = nested(place, form)
    root.create_array("nan", shape=(3,), dtype="<f8", fill_value=float("nan"), attributes={"m": float("nan")})
    number = int(form[1])
    if where in {"root", "stale", "twice"}:
        zarr.consolidate_metadata(place, zarr_format=number)
    if where in {"a", "twice"}:
        zarr.consolidate_metadata(place, path="a", zarr_format=number)
    if where == "twice":
        zarr.consolidate_metadata(place, zarr_format=number)
    if where == "stale":
        again = zarr.open_group(place, mode="r+", zarr_format=number, use_consolidated=False)
        again.create_group("added")
        del again["t"]
        again["zero"].attrs["n"] = 2


def conveniences(place: str, form: str) -> None:
    number = {"zarr_format": int(form[1])}
    root = root_of(place, form)
    for name in ("zeros", "ones", "empty"):
        getattr(zarr, name)((5, 4), chunks=(2, 2), store=place, path=name, **number)
    zarr.full((5, 4), 3.5, chunks=(2, 2), store=place, path="full", **number)
    zarr.array(data("<i4"), chunks=(3, 3), store=place, path="array", **number)
    zarr.save_array(place, data("<f4"), path="saved", **number)
    zarr.save_group(place, path="group", **number, x=data("<f4"), y=data("|b1"))
    zarr.from_array(place, name="from", data=root["array"], **number)
    zarr.zeros_like(root["array"], store=place, path="like", **number)
    zarr.create(shape=(4,), store=place, path="created", dtype="<i2", fill_value=None, **number)[...] = 1
    tree = {
        "made": zarr.core.group.GroupMetadata(**number, attributes={"a": 1}),
        "made/inner": zarr.core.group.GroupMetadata(**number),
    }
    list(zarr.create_hierarchy(store=LocalStore(place), nodes=tree))


def implicit(place: str, form: str) -> None:
    """Arrays by paths alone: their parents are made with them."""
    for path in ("x", "a/b/y"):
        zarr.create_array(place, name=path, zarr_format=int(form[1]), shape=(4,), chunks=(2,), dtype="<i4")[
            ...
        ] = data("<i4", (4,))


def by_memory(place: str, form: str) -> None:
    contents: dict[str, Any] = {}
    nested(MemoryStore(contents), form)
    dump(((key, value.to_bytes()) for key, value in contents.items()), place)


def by_fsspec(place: str, form: str) -> None:
    Path(place).mkdir()
    nested(FsspecStore.from_url(f"file://{place}", storage_options={"auto_mkdir": True}), form)


def by_zip(how: str, place: str, form: str) -> None:
    with ZipStore(place, mode="w") as store:
        root = nested(store, form)
        if how in {"changed", "consolidated"}:
            root.attrs["n"] = 1
            root.attrs["n"] = 2
            root["a/b/x"][1, 1] = 5
        if how == "consolidated":
            zarr.consolidate_metadata(store, zarr_format=int(form[1]))
    if how == "appended":
        with ZipStore(place, mode="a") as store:
            zarr.open_group(store, mode="r+", zarr_format=int(form[1]))["t"][...] = 2


def shards(place: str, form: str) -> None:
    """Shards: indexes at both ends, without checksums, in each other, and written in part."""
    root = root_of(place, form)
    little = zc.BytesCodec(endian="little")
    for dtype in ("<f4", ">i2", "string"):
        elements = data(dtype, (8, 8))
        for name, serializer in (
            ("start", zc.ShardingCodec(chunk_shape=(2, 2), index_location="start")),
            ("bare", zc.ShardingCodec(chunk_shape=(2, 2), index_codecs=[little])),
            ("big", zc.ShardingCodec(chunk_shape=(2, 2), index_codecs=[zc.BytesCodec(endian="big"), zc.Crc32cCodec()])),
            ("nested", zc.ShardingCodec(chunk_shape=(4, 2), codecs=[zc.ShardingCodec(chunk_shape=(2, 1))])),
            ("gzip", zc.ShardingCodec(chunk_shape=(2, 4), codecs=[zc.BytesCodec(), zc.GzipCodec()])),
        ):  # fmt: skip
            for tail in (None, zc.ZstdCodec()):
                called = f"{plain_name(dtype)} {name}{' zstd' if tail else ''}"
                options = {"dtype": dtype, "serializer": serializer, "compressors": tail}
                put(root, called, elements, shape=(8, 8), chunks=(4, 4), **options)
                if called in root:
                    root[called][3, 3] = elements[0, 0]


def rectilinear(place: str, form: str) -> None:
    with zarr.config.set({"array.rectilinear_chunks": True}):
        root = root_of(place, form)
        for number, chunks in enumerate(([[3, 4], [5]], [[2, 2, 3], [1, 1, 3]], [[1] * 7, [2, 3]])):
            root.create_array(f"r{number}", shape=(7, 5), chunks=chunks, dtype="<f8")[...] = data("<f8")


def dimension_names(place: str, form: str) -> None:
    root = root_of(place, form)
    for number, given in enumerate((["y", "x"], [None, "x"], ["", "é"], ["x", "x"], [None, None])):
        root.create_array(f"d{number}", shape=(7, 5), dtype="<i4", dimension_names=given)[...] = 1


def both(place: str, form: str) -> None:
    """Members of the other format below, as a migration that was not ended leaves them."""
    nested(place, form)
    other = "v2" if form == "v3" else "v3"
    nested(f"{place}/other", other)


STRUCTURES: dict[str, Callable[[str, str], None]] = {
    "array at the root": flat,
    "attributes": attributes,
    "changed": changed,
    "conveniences": conveniences,
    "deep": deep,
    "empty group": empty_group,
    "fsspec store": by_fsspec,
    "implicit parents": implicit,
    "many": many,
    "members of the other format": both,
    "memory store": by_memory,
    "names": names,
    "nested": nested,
    "separators": separators,
    **{f"consolidated {where}": partial(consolidated, where) for where in ("root", "a", "twice", "stale")},
}


def stores() -> Iterator[Store]:
    for form in ("v2", "v3"):
        for dtype in (*cases.EVERY, *cases.VARIABLE):
            yield Store(f"{form} type {label(dtype)}", form, partial(types, dtype))
        for name, chain in chains(form):
            yield Store(f"{form} codecs {name}", form, partial(codecs, chain))
        for name, write in STRUCTURES.items():
            yield Store(f"{form} {name}", form, write)
        for how in ("once", "changed", "consolidated", "appended"):
            yield Store(f"{form} zip {how}", form, partial(by_zip, how), ".zip")
    for name, write in (
        ("shards", shards),
        ("rectilinear", rectilinear),
        ("dimension names", dimension_names),
    ):
        yield Store(f"v3 {name}", "v3", write)
