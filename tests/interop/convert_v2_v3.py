"""Arrays that zarr-python wrote, converted by zom beside the same chunks, and read by zarr-python.

    python convert_v2_v3.py            writes with the zarr that is installed, converts, compares
    python convert_v2_v3.py write DIR  only writes (zarr-python 2 can do that, too)
    python convert_v2_v3.py check DIR  only converts and compares (needs zarr-python 3, and zom)

What zarr-python reads through the converted document must be, bit for bit, what it reads through the
original; so must what it reads through the document that was converted back. The exit status is the
number of disagreements, at most 1.
"""

from __future__ import annotations

import itertools
import json
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numcodecs
import numpy as np
import share
import zarr

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPE, CHUNKS = (7, 5), (3, 4)
DTYPES = (
    *("|b1", "|i1", "|u1", "<i2", ">i2", "<u4", ">u4", "<i8", ">i8", ">u8"),
    *("<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", ">c16"),
    *("|S5", "<U4", ">U4", "|V6", "<M8[ns]", ">M8[10us]", "<m8[s]", ">m8[D]"),
)
STRUCTS = (
    [("x", "<i4"), ("y", "<f8"), ("s", "S3")],
    [("x", ">i4"), ("y", ">f8"), ("b", "?")],
    [("a", "u1"), ("b", "i1")],
    [("p", [("u", ">f4"), ("v", ">i2")]), ("q", ">c8")],
)


class Case(NamedTuple):
    """One array to write."""

    dtype: Any
    order: str = "C"
    separator: str = "."
    filters: tuple[Any, ...] = ()
    compressor: Any = None
    shape: tuple[int, ...] = SHAPE
    chunks: tuple[int, ...] = CHUNKS
    objects: str = ""
    fill: Any = 0
    whole: bool = False

    @property
    def name(self) -> str:
        parts = [str(self.dtype), self.order, self.separator, *(str(f.get_config()) for f in self.filters)]
        compressor = None if self.compressor is None else self.compressor.get_config()
        return " ".join((*parts, f"-> {compressor}", str(self.shape), self.objects, f"fill {self.fill!r}"))


def compressors() -> list[Any]:
    blosc = [numcodecs.Blosc("lz4", 5, shuffle) for shuffle in (-1, 0, 1, 2)]
    others = [numcodecs.Zstd(3), numcodecs.GZip(5), numcodecs.GZip(-1), numcodecs.Zlib(1), numcodecs.BZ2(9)]
    return [None, *blosc, numcodecs.Blosc("zstd", 1, 1, 256), *others, numcodecs.LZ4(1), numcodecs.LZMA()]


def checksums() -> list[tuple[Any, ...]]:
    makers = [numcodecs.CRC32, numcodecs.Adler32, numcodecs.Fletcher32, numcodecs.JenkinsLookup3]
    if hasattr(numcodecs, "CRC32C"):
        makers.append(numcodecs.CRC32C)
    return [(made(),) for made in makers] + [(numcodecs.CRC32("end"),)]


def filters(dtype: str) -> Iterator[tuple[Any, ...]]:
    """The chains of filters that a data type can go through."""
    order, kind, size = dtype[0], dtype[1], np.dtype(dtype).itemsize
    yield (numcodecs.Shuffle(size),)
    yield (numcodecs.Shuffle(4 if size % 4 == 0 else 1), numcodecs.Zlib(1))
    if kind in "iu":
        delta = numcodecs.Delta(dtype)
        yield (delta,)
        yield (delta, numcodecs.Shuffle(size))
        yield (numcodecs.Delta(dtype, f"{order}i8" if size > 1 else ">i2"), numcodecs.CRC32())
        yield (numcodecs.AsType("<f8", dtype), numcodecs.BitRound(40))
        yield (numcodecs.AsType(">f8", dtype), numcodecs.Shuffle(8))
    if kind == "f":
        yield (numcodecs.Quantize(2, dtype),)
        if order == "<":  # numcodecs rounds no big-endian floats
            yield (numcodecs.BitRound(4),)
        yield (numcodecs.FixedScaleOffset(1, 10, dtype, "|u1"),)
        yield (numcodecs.FixedScaleOffset(1, 10, dtype, ">i4"), numcodecs.Delta(">i4"))
        yield (numcodecs.FixedScaleOffset(1, 10, dtype, "<i2"), numcodecs.Delta("<i2", "<i4"))
        yield (numcodecs.AsType("<f4", dtype),)
        yield (numcodecs.AsType(">f4", dtype), numcodecs.Quantize(1, ">f4"), numcodecs.Shuffle(4))
        if size == 8:
            yield (numcodecs.Quantize(2, dtype, f"{order}f4"), numcodecs.Zlib(1))
    if kind == "c":
        yield (numcodecs.Delta(dtype),)
    if kind == "b":
        yield (numcodecs.PackBits(),)
        yield (numcodecs.PackBits(), numcodecs.Shuffle(1))
    if kind in "Mm":
        yield (numcodecs.Delta(f"{order}i8"),)


def cases() -> Iterator[Case]:
    """Every array: what doesn't depend on each other takes turns, so that all pairs of choices come up."""
    for first, (dtype, order) in enumerate(itertools.product((*DTYPES, *STRUCTS), "CF")):
        for number, compressor in enumerate(compressors(), first):
            yield Case(dtype, order, "./"[number % 2], (), compressor)
    for first, (dtype, order) in enumerate(itertools.product(DTYPES, "CF")):
        for number, chain in enumerate((*filters(dtype), *checksums()), first):
            yield Case(dtype, order, "/", chain, (None, numcodecs.Blosc())[number % 2])
    yield from shapes()
    yield from texts()
    for dtype, fill in fills():
        yield Case(dtype, fill=fill)
    for dtype in (*DTYPES, *STRUCTS):
        yield Case(dtype, "F", fill=None, whole=True)
    yield from zfp()


def shapes() -> Iterator[Case]:
    """Arrays of none, one and three dimensions."""
    for dtype, (shape, chunks) in itertools.product(DTYPES, (((), ()), ((9,), (4,)), ((3, 4, 5), (2, 3, 2)))):
        for order, separator in ("C.", "F/"):
            yield Case(dtype, order, separator, (), numcodecs.Zlib(1), shape, chunks)
            for chain in itertools.islice(filters(dtype), 2, None) if shape else ():
                yield Case(dtype, order, separator, chain, None, shape, chunks)


def texts() -> Iterator[Case]:
    """Texts and bytes of any length."""
    for objects, order, separator in itertools.product(("text", "bytes"), "CF", "./"):
        codec = numcodecs.VLenUTF8() if objects == "text" else numcodecs.VLenBytes()
        fill: Any = "" if objects == "text" else None
        for rest, compressor in itertools.product(((), (numcodecs.Shuffle(1),)), compressors()):
            case = Case("|O", order, separator, (codec, *rest), compressor, objects=objects, fill=fill)
            yield case._replace(whole=fill is None)


def fills() -> Iterator[tuple[str, Any]]:
    """Fill values that are no zeros."""
    for dtype in ("<f4", ">f8", "<f2"):
        yield from ((dtype, value) for value in (1.5, np.nan, np.inf, -np.inf, -0.0))
    for dtype in ("<c8", ">c16"):
        yield from ((dtype, value) for value in (1 + 2j, complex(np.nan, -np.inf)))
    yield from (("|i1", -128), (">i8", -(2**63)), (">u8", 2**64 - 1), ("|b1", True))
    yield from (("|S5", b"abc"), ("<U4", "é€"), (">U4", "ab"), ("|V6", b"\0\1\2\3\4\5"))
    yield from (("<M8[ns]", np.datetime64("NaT", "ns")), ("<M8[ns]", np.datetime64(5, "ns")))
    yield from ((">m8[D]", np.timedelta64(-3, "D")),)


def zfp() -> Iterator[Case]:
    if hasattr(numcodecs, "ZFPY"):
        for dtype, tolerance in itertools.product(("<f4", "<f8", "<i4"), (-1, 0.01)):
            if dtype != "<i4" or tolerance < 0:
                yield Case(dtype, compressor=numcodecs.ZFPY(4, tolerance))


def data(case: Case) -> np.ndarray[Any, Any]:
    """Values for the whole array, the same in every run."""
    random = np.random.default_rng(7)
    count = int(np.prod(case.shape))
    if case.objects:
        texts = [["", "a", "é€", "longer text", "\U0001f600"][i] for i in random.integers(0, 5, count)]
        values = texts if case.objects == "text" else [text.encode() for text in texts]
        made = np.empty(count, object)
        made[:] = values
        return made.reshape(case.shape)
    return elements(np.dtype(case.dtype), random, count).reshape(case.shape)


def elements(dtype: np.dtype[Any], random: np.random.Generator, count: int) -> np.ndarray[Any, Any]:
    if dtype.names is not None:
        made = np.zeros(count, dtype)
        for name in dtype.names:
            made[name] = elements(dtype[name], random, count)
        return made
    if dtype.kind in "SU":
        texts = ["", "a", "ab", "abcd" if dtype.kind == "S" else "é€"]
        return np.array([texts[i] for i in random.integers(0, 4, count)], dtype)
    if dtype.kind == "V":
        return np.frombuffer(random.bytes(count * dtype.itemsize), dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, count).astype(dtype)
    whole = np.cumsum(random.integers(0, 5, count))
    if dtype.kind in "fc":
        return (whole / 10 % 20).astype(dtype)
    return whole.astype("i8").astype(dtype) if dtype.kind in "iuMm" else whole.astype(dtype)


def write(case: Case, path: Path) -> None:
    """The array in v2 at `path`; a chunk is left out, so that the fill value shows."""
    arguments: dict[str, Any] = {
        "shape": case.shape,
        "chunks": case.chunks,
        "dtype": case.dtype if not isinstance(case.dtype, list) else np.dtype(case.dtype),
        "compressor": case.compressor,
        "filters": list(case.filters) or None,
        "order": case.order,
        "fill_value": case.fill,
        "dimension_separator": case.separator,
        "store": str(path),
        "overwrite": True,
    }
    if zarr.__version__.startswith("2."):
        if case.objects:
            arguments["object_codec"] = arguments["filters"].pop(0)
        if case.fill == 0 and isinstance(arguments["dtype"], np.dtype):
            arguments["fill_value"] = np.zeros((), arguments["dtype"])[()]
        array: Any = zarr.create(**arguments)
    else:
        if np.dtype(arguments["dtype"]).kind in "SUVMm" and case.fill == 0:
            arguments["fill_value"] = np.zeros((), arguments["dtype"])[()]
        if case.objects == "text":
            arguments["dtype"] = (
                "string" if not hasattr(zarr.dtype, "VariableLengthUTF8") else zarr.dtype.VariableLengthUTF8()
            )
        elif case.objects:
            arguments["dtype"] = zarr.dtype.VariableLengthBytes()
        array = zarr.create(**arguments, zarr_format=2)
    values = data(case)
    if case.shape and not case.whole:
        array[: case.chunks[0]] = values[: case.chunks[0]]
        array[case.chunks[0] :, ...] = values[case.chunks[0] :]
        gap = path / (case.separator.join("0" * len(case.shape)))
        gap.unlink(missing_ok=True)
    else:
        array[...] = values


def bits(array: Any) -> Any:
    """The values in a form that compares bit for bit."""
    values = np.asarray(array[...])
    if values.dtype.kind in "OT":
        return [item.encode() if isinstance(item, str) else bytes(item) for item in values.ravel()]
    native = values.astype(values.dtype.newbyteorder("="))
    return (native.shape, native.tobytes())


def convert(path: Path) -> tuple[Path, Path]:
    """Copies of the array with the converted document, and with the one that was converted back."""
    from zom import v2
    from zom.conversion.trees import convert as convert_spec

    spec = v2.ArraySpec.parse((path / ".zarray").read_bytes(), "lenient", on_warning=lambda _: None)
    made = convert_spec(spec, "v3")
    back = convert_spec(made.spec, "v2")
    if not made.same_chunks["/"] or not back.same_chunks["/"] or back.losses:
        message = f"chunks said to change, or losses: {back.losses}"
        raise ValueError(message)
    new, old = path.with_name(f"{path.name}-v3"), path.with_name(f"{path.name}-v2")
    for target, key, document in ((new, "zarr.json", made.spec), (old, ".zarray", back.spec)):
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(path, target, ignore=shutil.ignore_patterns(".zarray", ".zattrs", "zarr.json"))
        (target / key).write_text(document.to_json())
    return new, old


def check(path: Path, case: Case | None) -> str | None:
    """What is wrong with the conversion of the array at `path`; None where nothing is."""
    try:
        new, old = convert(path)
        wanted = bits(zarr.open_array(str(path), mode="r", zarr_format=2))
        found = bits(zarr.open_array(str(new), mode="r", zarr_format=3))
        again = bits(zarr.open_array(str(old), mode="r", zarr_format=2))
    except Exception as error:  # noqa: BLE001 - the report goes on
        return f"{type(error).__name__}: {error}"
    if found != wanted:
        return "the v3 document reads other values"
    if again != wanted:
        return "the v2 document that was converted back reads other values"
    if case is not None and case.whole and not case.filters and wanted != bits(data(case)):
        return "zarr-python does not read what it wrote"
    return None


def say(line: str) -> None:
    print(line)  # noqa: T201 - a script talks


def main(arguments: list[str]) -> int:
    """The number of disagreements, at most 1, once everything is written, converted and compared."""
    warnings.simplefilter("ignore")
    task = arguments[0] if arguments else "all"
    root = Path(arguments[1]) if len(arguments) > 1 else Path(tempfile.mkdtemp(prefix="zom-convert-"))
    written = unwritten = wrong = 0
    if task in {"all", "write"}:
        names: dict[str, str] = {}
        for number, case in enumerate(each for each in cases() if share.is_chosen(each.name)):
            try:
                write(case, root / f"{number:05}")
            except Exception as error:  # noqa: BLE001 - some chains a writer can't do
                unwritten += 1
                shutil.rmtree(root / f"{number:05}", ignore_errors=True)
                say(f"not written: {case.name}: {type(error).__name__}: {str(error)[:100]}")
                continue
            written += 1
            names[f"{number:05}"] = case.name
        (root / "names.json").write_text(json.dumps(names))
        say(f"zarr {zarr.__version__}, numcodecs {numcodecs.__version__}: {written} written, {unwritten} not")
    if task in {"all", "check"}:
        names = json.loads((root / "names.json").read_text())
        all_cases = {case.name: case for case in cases()}
        for directory, name in names.items():
            trouble = check(root / directory, all_cases.get(name))
            if trouble is not None:
                wrong += 1
                say(f"{directory} {name}: {trouble[:300]}")
        say(f"zarr {zarr.__version__} read {len(names)} converted arrays, {wrong} of them wrongly")
    if not arguments:
        shutil.rmtree(root)
    return int(wrong > 0 or (task != "write" and not names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
