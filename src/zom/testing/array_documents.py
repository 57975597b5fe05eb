"""Hypothesis strategies for the documents of arrays, one for each format."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from zom.testing.json_values import attributes, json_values, shuffled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import SearchStrategy

__all__ = ["draft_arrays", "v2_arrays", "v3_arrays"]

_Typed = tuple[Any, Any, bool]
"""A data type as in the document, a fill value, and whether its bytes have an order."""

_INTEGERS = {f"{sign}int{bits}": bits for sign in ("", "u") for bits in (8, 16, 32, 64)}
_FLOATS = {"float16": 16, "float32": 32, "float64": 64}
_HEX = {"float16": "0x7e01", "float32": "0x7fc00001", "float64": "0x7ff8000000000001"}


def _integers(bits: int, *, signed: bool) -> SearchStrategy[int]:
    if signed:
        return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return st.integers(0, 2**bits - 1)


def _floats(name: str) -> SearchStrategy[Any]:
    width: Any = _FLOATS[name]
    finite = st.floats(width=width, allow_nan=False, allow_infinity=False)
    return finite | st.sampled_from(["NaN", "Infinity", "-Infinity", _HEX[name], 0, 0.0, -0.0])


def _base64(size: int) -> SearchStrategy[str]:
    return st.binary(min_size=size, max_size=size).map(lambda raw: base64.b64encode(raw).decode())


@st.composite
def _shapes(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """A shape and its chunk lengths."""
    shape = draw(st.lists(st.integers(0, 20), max_size=3))
    return shape, [draw(st.integers(1, max(1, length))) for length in shape]


# --- v3 ----------------------------------------------------------------------------------------------


def _spelled(name: str, *, configuration: bool = True) -> SearchStrategy[Any]:
    """An extension without parameters: its name, an object, an object with an empty configuration."""
    forms: list[Any] = [name, {"name": name}]
    return st.sampled_from([*forms, {"name": name, "configuration": {}}] if configuration else forms)


def _codec(name: str, **configuration: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """An extension with parameters."""
    inner = st.fixed_dictionaries(configuration)
    return st.fixed_dictionaries({"name": st.just(name), "configuration": inner})


def _typed(
    spelled: SearchStrategy[Any], fills: SearchStrategy[Any], *, ordered: bool
) -> SearchStrategy[_Typed]:
    return st.tuples(spelled, fills, st.just(ordered))


_BYTE = st.integers(0, 255)
_LETTERS = st.text(st.characters(codec="ascii", min_codepoint=32), max_size=2)
_V3_TYPES = st.one_of(
    _typed(_spelled("bool"), st.booleans(), ordered=False),
    *(
        _typed(_spelled(name), _integers(bits, signed=name[0] == "i"), ordered=bits > 8)
        for name, bits in _INTEGERS.items()
    ),
    *(_typed(_spelled(name), _floats(name), ordered=True) for name in _FLOATS),
    _typed(_spelled("complex64"), st.lists(_floats("float32"), min_size=2, max_size=2), ordered=True),
    _typed(_spelled("string"), st.text(max_size=4), ordered=False),
    _typed(_spelled("bytes"), st.lists(_BYTE, max_size=3), ordered=False),
    _typed(_spelled("r16"), st.lists(_BYTE, min_size=2, max_size=2), ordered=False),
    _typed(
        _codec("numpy.datetime64", unit=st.sampled_from(["s", "ns"]), scale_factor=st.integers(1, 9)),
        st.just("NaT") | st.integers(-(2**40), 2**40),
        ordered=True,
    ),
    _typed(_codec("fixed_length_utf32", length_bytes=st.just(8)), _LETTERS, ordered=True),
    _typed(_spelled("x.nobody-knows"), json_values(depth=1), ordered=True),
)


def _name_of(extension: Any) -> str:
    return extension if isinstance(extension, str) else extension["name"]


@st.composite
def _v3_codecs(draw: st.DrawFn, typed: _Typed, chunks: Sequence[int], depth: int) -> list[Any]:
    chain: list[Any] = []
    data_type, _, ordered = typed
    name = _name_of(data_type)
    if len(chunks) and draw(st.integers(0, 2)) == 0:
        order = draw(st.permutations(range(len(chunks))))
        chain.append({"name": "transpose", "configuration": {"order": list(order)}})
        chunks = [chunks[axis] for axis in order]
    if name in {"string", "bytes"}:
        chain.append(draw(_spelled("vlen-utf8" if name == "string" else "vlen-bytes")))
    elif depth and draw(st.integers(0, 2)) == 0:
        chain.append(draw(_sharding(typed, chunks, depth)))
        return chain
    elif ordered:
        endian = draw(st.sampled_from(["little", "big"]))
        chain.append({"name": "bytes", "configuration": {"endian": endian}})
    else:
        chain.append(draw(_spelled("bytes")))
    return [*chain, *draw(st.lists(_V3_COMPRESSORS, max_size=2))]


_V3_COMPRESSORS: SearchStrategy[Any] = st.one_of(
    _spelled("crc32c"),
    _codec("gzip", level=st.integers(0, 9)),
    _codec("zstd", checksum=st.booleans(), level=st.integers(-5, 22)),
    _codec("x.nobody-knows", a=json_values(depth=1)),
)


@st.composite
def _sharding(draw: st.DrawFn, typed: _Typed, chunks: Sequence[int], depth: int) -> Any:
    inner = [draw(st.sampled_from([n for n in range(1, c + 1) if c % n == 0])) for c in chunks]
    index = [{"name": "bytes", "configuration": {"endian": "little"}}]
    configuration: dict[str, Any] = {
        "chunk_shape": inner,
        "codecs": draw(_v3_codecs(typed, inner, depth - 1)),
        "index_codecs": [*index, *draw(st.lists(_spelled("crc32c"), max_size=1))],
    }
    if draw(st.booleans()):
        configuration["index_location"] = draw(st.sampled_from(["start", "end"]))
    return {"name": "sharding_indexed", "configuration": draw(shuffled(configuration))}


_SEPARATORS = st.sampled_from(["/", "."])
_KEY_ENCODINGS: SearchStrategy[Any] = st.one_of(
    _spelled("default"),
    _spelled("v2"),
    _codec("default", separator=_SEPARATORS),
    _codec("v2", separator=_SEPARATORS),
)


@st.composite
def v3_arrays(draw: st.DrawFn) -> dict[str, Any]:
    """Documents of v3 arrays.

    >>> v3_arrays().is_empty
    False
    """
    shape, chunks = draw(_shapes())
    typed = draw(_V3_TYPES)
    data_type, fill, _ = typed
    document: dict[str, Any] = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "chunk_key_encoding": draw(_KEY_ENCODINGS),
        "fill_value": fill,
        "codecs": draw(_v3_codecs(typed, chunks, 2)),
    }
    names = st.lists(st.none() | st.sampled_from(["x", "y", ""]), min_size=len(shape), max_size=len(shape))
    optional: dict[str, SearchStrategy[Any]] = {
        "attributes": attributes(),
        "dimension_names": names,
        "storage_transformers": st.just([]),
        "x-extra": json_values(depth=1).map(lambda value: {"must_understand": False, "value": value}),
    }
    document.update({name: draw(values) for name, values in optional.items() if draw(st.booleans())})
    return draw(shuffled(document))


# --- v2 ----------------------------------------------------------------------------------------------


@st.composite
def _v2_types(draw: st.DrawFn) -> tuple[Any, Any]:
    kind = draw(st.sampled_from("biufcSUMVrO"))
    order = draw(st.sampled_from("<>"))
    if kind in "iu":
        size = draw(st.sampled_from([1, 2, 4, 8]))
        fill: Any = draw(st.none() | _integers(8 * size, signed=kind == "i"))
        return f"{'|' if size == 1 else order}{kind}{size}", fill
    if kind == "f":
        fill = draw(
            st.none()
            | st.sampled_from(["NaN", "Infinity", "-Infinity", 0, 0.0, -0.0])
            | st.floats(width=32, allow_nan=False, allow_infinity=False)
        )
        return f"{order}f{draw(st.sampled_from([4, 8]))}", fill
    fixed: dict[str, tuple[Any, SearchStrategy[Any]]] = {
        "b": ("|b1", st.none() | st.booleans()),
        "c": (f"{order}c8", st.none() | st.just([0.0, "NaN"])),
        "S": ("|S3", st.none() | _base64(3)),
        "U": (f"{order}U2", st.none() | st.just("") | st.just("ab")),
        "M": (f"{order}M8[ns]", st.none() | st.integers(-(2**40), 2**40)),
        "V": ("|V3", st.none() | _base64(3)),
        "r": ([["a", "<i4"], ["b", "|u1"]], st.none() | _base64(5)),
        "O": ("|O", st.none() | st.text(max_size=3)),
    }
    dtype, fills = fixed[kind]
    return dtype, draw(fills)


_V2_COMPRESSORS: SearchStrategy[Any] = st.one_of(
    st.none(),
    st.fixed_dictionaries({"id": st.just("zlib"), "level": st.integers(0, 9)}),
    st.fixed_dictionaries({"level": st.integers(1, 22), "id": st.just("zstd")}),
    st.just({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}),
    st.just({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}),
    st.just({"id": "x-nobody-knows", "a": [1.0]}),
)


@st.composite
def v2_arrays(draw: st.DrawFn) -> dict[str, Any]:
    """Documents of v2 arrays.

    >>> v2_arrays().is_empty
    False
    """
    shape, chunks = draw(_shapes())
    dtype, fill = draw(_v2_types())
    filters: Any = [{"id": "vlen-utf8"}] if dtype == "|O" else None
    if isinstance(dtype, str) and dtype[1] in "iuf" and draw(st.booleans()):
        delta = {"id": "delta", "dtype": dtype}
        filters = [draw(st.sampled_from([delta, {**delta, "astype": dtype}]))]
    document: dict[str, Any] = {
        "zarr_format": 2,
        "shape": shape,
        "chunks": chunks,
        "dtype": dtype,
        "compressor": draw(_V2_COMPRESSORS),
        "fill_value": fill,
        "order": draw(st.sampled_from("CF")),
        "filters": filters,
    }
    if draw(st.booleans()):
        document["dimension_separator"] = draw(st.sampled_from("./"))
    if draw(st.booleans()):
        document["attributes"] = draw(attributes())
    return draw(shuffled(document))


# --- draft -------------------------------------------------------------------------------------------


@st.composite
def _draft_types(draw: st.DrawFn) -> tuple[Any, Any]:
    kind = draw(st.sampled_from(["bool", "integer", "float"]))
    if kind == "bool":
        return "bool", draw(st.booleans())
    if kind == "integer":
        name, bits = draw(st.sampled_from(sorted(_INTEGERS.items())))
        return name, draw(_integers(bits, signed=name[0] == "i"))
    finite = st.floats(width=16, allow_nan=False, allow_infinity=False)
    return draw(st.sampled_from(sorted(_FLOATS))), draw(
        finite | st.sampled_from(["NaN", "+Infinity", "-Infinity"])
    )


_DRAFT_CODECS: SearchStrategy[Any] = st.fixed_dictionaries(
    {
        "type": st.just("https://purl.org/zarr/spec/codecs/gzip/1.0"),
        "configuration": st.fixed_dictionaries({"level": st.integers(0, 9)}),
    }
)


@st.composite
def draft_arrays(draw: st.DrawFn) -> dict[str, Any]:
    """Documents of arrays of the draft.

    >>> draft_arrays().is_empty
    False
    """
    shape, chunks = draw(_shapes())
    data_type, fill = draw(_draft_types())
    document: dict[str, Any] = {
        "shape": shape,
        "data_type": data_type,
        "chunk_grid": {"type": "regular", "chunk_shape": chunks, "separator": draw(st.sampled_from("./"))},
        "chunk_memory_layout": draw(st.sampled_from("CF")),
        "fill_value": fill,
        "extensions": draw(
            st.just([]) | st.just([{"extension": "https://example.org/x/1.0", "must_understand": False}])
        ),
        "attributes": draw(attributes()),
    }
    if draw(st.booleans()):
        document["codecs"] = draw(st.lists(_DRAFT_CODECS, max_size=1))
    if draw(st.booleans()):
        document["storage_transformers"] = []
    return draw(shuffled(document))
