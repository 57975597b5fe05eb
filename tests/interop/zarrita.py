"""What zom writes, read by zarrita under node: from a directory, over HTTP on the loopback device, and from `zom serve`.

    python tests/interop/zarrita.py
    python tests/interop/zarrita.py --verbose    and names each array

In an environment with zom, node 20 or newer, and `npm install` done in the folder zarrita. Two hierarchies, of v2 and v3:
each data type and each codec that zarrita knows, shards, chunk keys, missing chunks, order F, dimension names,
attributes, consolidated metadata. Each array is read whole and in steps, and compared bit for bit.
Ends with 1 where anything differs, or where zarrita refuses what it should know.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import argparse
import base64
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import zom
from zom import v2, v3

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = Path(__file__).parent / "zarrita"
SHAPE, CHUNKS, SHARDS = (9, 10), (4, 3), (8, 6)
NUMBERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
TEXTS = np.array(["", "a", "naïve", "日本", "🜁", "longer than the others", 'q"\\', "a\nb"])
ATTRIBUTES = {"title": "für alle", "nested": {"a": [1, 2.5, None, True]}}

counts: Counter[str] = Counter()


def values(dtype: Any, shape: tuple[int, ...] = SHAPE) -> Any:
    """Values of a type, with its extremes."""
    dtype, count = np.dtype(dtype), int(np.prod(shape, dtype=int))
    draw = np.random.default_rng(count + dtype.num)
    if dtype.kind in "TOU":
        return TEXTS[draw.integers(0, len(TEXTS), count)].astype(dtype).reshape(shape)
    if dtype.kind == "S":
        return np.array([b"", b"ab", b"abcde"])[draw.integers(0, 3, count)].astype(dtype).reshape(shape)
    if dtype.kind == "b":
        return draw.integers(0, 2, count).astype(bool).reshape(shape)
    made = np.frombuffer(draw.bytes(count * dtype.itemsize), dtype).copy()
    if dtype.kind == "f":
        made = np.where(np.isfinite(made), made, 0).astype(dtype)
        made[:3] = [np.inf, -np.inf, -0.0][: made[:3].size]
    return made.reshape(shape)


def codec(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


LITTLE = codec("bytes", endian="little")


def blosc(name: str, shuffle: str) -> dict[str, Any]:
    return codec("blosc", cname=name, clevel=5, shuffle=shuffle, typesize=4, blocksize=0)


def arrays_v3() -> Iterator[tuple[str, Any, Any]]:
    """Name, spec and values of each array; values None leave all chunks missing."""
    common: dict[str, Any] = {"shape": SHAPE, "chunks": CHUNKS, "dimension_names": ("y", "x")}
    for name in ("bool", *NUMBERS, "string"):
        for shards in (None, SHARDS):
            label = f"types/{name}{'_sharded' if shards else ''}"
            yield (
                label,
                v3.ArraySpec.build(dtype=name, shards=shards, **common),
                values("U9" if name == "string" else name),
            )
    chains = {
        "plain": [LITTLE],
        "big": [codec("bytes", endian="big")],
        "gzip": [LITTLE, codec("gzip", level=6)],
        "zstd": [LITTLE, codec("zstd", level=3, checksum=True)],
        "zstd_plain": [LITTLE, codec("zstd", level=-1, checksum=False)],
        "crc32c": [LITTLE, {"name": "crc32c"}],
        "gzip_crc32c": [LITTLE, codec("gzip", level=1), {"name": "crc32c"}],
        "transpose": [codec("transpose", order=[1, 0]), LITTLE, codec("gzip", level=1)],
        "zlib": [LITTLE, codec("numcodecs.zlib", level=4)],
        "lz4": [LITTLE, codec("numcodecs.lz4", acceleration=1)],
        "shuffle": [LITTLE, codec("numcodecs.shuffle", elementsize=4), codec("gzip", level=1)],
        "delta": [codec("numcodecs.delta", dtype="<i4", astype="<i4"), LITTLE],
        **{
            f"blosc_{cname}_{shuffle}": [LITTLE, blosc(cname, shuffle)]
            for cname in ("lz4", "lz4hc", "zstd", "zlib", "blosclz")
            for shuffle in ("noshuffle", "shuffle", "bitshuffle")
        },
    }
    for label, chain in chains.items():
        yield f"codecs/{label}", v3.ArraySpec.build(dtype="int32", codecs=chain, **common), values("int32")
        yield (
            f"shards/{label}",
            v3.ArraySpec.build(dtype="int32", codecs=chain, shards=SHARDS, **common),
            values("int32"),
        )
    data = values("float32")
    yield "codecs/bitround", v3.ArraySpec.build(
        dtype="float32", codecs=[codec("bitround", keepbits=23), LITTLE], **common
    ), data  # fmt: skip
    yield from shapes(v3, {"fill_value": 7})
    dotted = v3.ArraySpec.build(dtype="int16", **common).to_dict()
    dotted["chunk_key_encoding"] = codec("default", separator=".")
    yield "keys/dots", v3.ArraySpec.parse(dotted), values("int16")
    dotted["chunk_key_encoding"] = codec("v2", separator=".")
    yield "keys/v2", v3.ArraySpec.parse(dotted), values("int16")


def arrays_v2() -> Iterator[tuple[str, Any, Any]]:
    """The same for v2."""
    common: dict[str, Any] = {"shape": SHAPE, "chunks": CHUNKS}
    for name in ("bool", *NUMBERS, ">i4", ">f8", "<U6", "S5", "string"):
        label = name.replace("<", "little_").replace(">", "big_")
        data = values("U9" if name == "string" else name)
        yield f"types/{label}", v2.ArraySpec.build(dtype=name, **common), data
    compressors: dict[str, Any] = {
        "none": None,
        "zlib": {"id": "zlib", "level": 1},
        "gzip": {"id": "gzip", "level": 5},
        "zstd": {"id": "zstd", "level": 3, "checksum": False},
        "lz4": {"id": "lz4", "acceleration": 1},
        **{
            f"blosc_{cname}_{shuffle}": {
                "id": "blosc",
                "cname": cname,
                "clevel": 5,
                "shuffle": shuffle,
                "blocksize": 0,
            }
            for cname in ("lz4", "zstd", "zlib")
            for shuffle in (0, 1, 2)
        },
    }
    for label, compressor in compressors.items():
        document = v2.ArraySpec.build(dtype="int32", compress=None, **common).to_dict() | {
            "compressor": compressor
        }
        yield f"codecs/{label}", v2.ArraySpec.parse(document), values("int32")
    filters: dict[str, Any] = {
        "shuffle": {"id": "shuffle", "elementsize": 4},
        "delta": {"id": "delta", "dtype": "<i4", "astype": "<i4"},
    }
    for label, each in filters.items():
        yield f"filters/{label}", v2.ArraySpec.build(dtype="int32", filters=[each], **common), values("int32")
    yield "order_f", v2.ArraySpec.build(dtype="int32", order="F", **common), values("int32")
    yield "keys/slashes", v2.ArraySpec.build(dtype="int16", separator="/", **common), values("int16")
    yield from shapes(v2, {"fill_value": 7})


def shapes(module: Any, filled: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Few and many dimensions, chunks that are missing, and no elements at all."""
    for shape, chunks in (
        ((5,), (2,)),
        ((3, 4, 5), (2, 3, 2)),
        ((2, 2, 2, 2), (1, 2, 1, 2)),
        ((1, 1), (1, 1)),
    ):
        name = "x".join(map(str, shape))
        yield (
            f"shapes/{name}",
            module.ArraySpec.build(shape=shape, chunks=chunks, dtype="int32"),
            values("int32", shape),
        )
    missing = module.ArraySpec.build(shape=SHAPE, chunks=CHUNKS, dtype="int16", **filled)
    yield "shapes/missing", missing, None
    yield "shapes/scalar", module.ArraySpec.build(shape=(), dtype="float64"), values("float64", ())
    yield "attributes", missing.replace(attributes=ATTRIBUTES), None


def write(module: Any, arrays: Any, folder: Path) -> dict[str, Any]:
    """The hierarchy, consolidated, with what its arrays hold."""
    zom.create_group(folder, module.GroupSpec(attributes=ATTRIBUTES))
    expected: dict[str, Any] = {}
    for name, spec, data in arrays:
        array = zom.create_array(folder, spec, name)
        if data is not None:
            array[...] = data
        expected[name] = array[...]
    zom.consolidate(folder)
    return expected


# --- the server ------------------------------------------------------------------------------------------------


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Files with byte ranges, as web servers and buckets answer them; notes what it is asked for."""

    protocol_version = "HTTP/1.1"  # connections stay open
    disable_nagle_algorithm = True
    wbufsize = 1 << 16  # head and body go at once

    def log_message(self, *_: Any) -> None: ...

    def send_head(self) -> Any:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        stated = self.headers.get("Range")
        path = Path(self.translate_path(self.path))
        if stated is None or not path.is_file():
            return super().send_head()
        first, _, last = stated.removeprefix("bytes=").partition("-")
        size = path.stat().st_size
        start = int(first) if first else max(0, size - int(last))
        stop = min(size, int(last) + 1) if first and last else size
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{size}")
        self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the server closes it
        file.write(path.read_bytes()[start:stop])
        file.seek(0)
        return file


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Ranges, directory=str(folder))) as server:
        server.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", server.asked  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def served_by_zom(folder: Path) -> Iterator[str]:
    """The address of a store that `zom serve` serves."""
    command = [sys.executable, "-m", "zom", "serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip().rstrip("/")
        finally:
            server.terminate()


# --- what zarrita says -------------------------------------------------------------------------------------------


def asked(place: str, form: str, names: list[str], *options: str) -> list[dict[str, Any]]:
    command = ["node", str(HOME / "read_tree.mjs"), place, form, *options]
    done = subprocess.run(
        command, timeout=120, input="\n".join(names).encode(), capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-800:])
    return [json.loads(line) for line in done.stdout.splitlines()]


def difference(answer: dict[str, Any], expected: Any) -> str | None:
    """How the elements of an answer differ; None where they do not."""
    if tuple(answer["shape"]) != expected.shape:
        return f"expected the shape {expected.shape}, found {answer['shape']}"
    if "memory" in answer:
        native = expected.dtype.newbyteorder("=")
        memory = np.frombuffer(base64.b64decode(answer["memory"]), native)
        strides = [each * native.itemsize for each in answer["stride"]]
        found = np.lib.stride_tricks.as_strided(memory, expected.shape, strides)
        same = found.tobytes() == expected.astype(native).tobytes()
        return None if same else f"expected {expected!s:.200}, found {found!s:.200}"
    plain = [each.decode() if isinstance(each, bytes) else each for each in expected.ravel().tolist()]
    found_values = answer["values"]
    if expected.dtype.kind == "b":
        found_values = [bool(each) for each in found_values]
    if expected.dtype.kind in "iuf":  # JSON has no infinity; such scalars are not compared
        found_values = [expected.dtype.type(each) if each is not None else plain[0] for each in found_values]
    return None if found_values == plain else f"expected {plain!s:.200}, found {found_values!s:.200}"


def judged(what: str, problem: str | None, *, verbose: bool) -> None:
    counts["failed" if problem else "passed"] += 1
    if problem or verbose:
        print(f"{'FAILED' if problem else 'ok    '} {what}{f': {problem}' if problem else ''}", flush=True)


def compare(place: str, form: str, expected: dict[str, Any], *options: str, verbose: bool) -> None:
    where = f"{form} {'HTTP' if place.startswith('http') else 'directory'} {' '.join(options)}".rstrip()
    root, *found = asked(place, form, list(expected), *options)
    judged(
        f"{where} /: attributes", None if root["attrs"] == ATTRIBUTES else str(root["attrs"]), verbose=verbose
    )
    if options:
        there = {path.strip("/") for path, kind in root["contents"] if kind == "array"}
        judged(
            f"{where} /: contents",
            None if there == set(expected) else f"{there ^ set(expected)}",
            verbose=verbose,
        )
    if [each["path"] for each in found] != list(expected):
        judged(f"{where}", "other paths came back", verbose=verbose)
    for each in found:
        whole = expected[each["path"]]
        if "error" in each:
            judged(f"{where} {each['path']}", each["error"], verbose=verbose)
            continue
        steps = tuple(slice(n // 4, None, 2) for n in whole.shape)
        problem = difference(each["whole"], whole) or difference(each["part"], whole[steps])
        if each["path"] == "attributes" and each["attrs"] != ATTRIBUTES:
            problem = f"attributes: {each['attrs']}"
        judged(f"{where} {each['path']}", problem, verbose=verbose)


def main() -> int:
    parser = argparse.ArgumentParser(description="what zom writes, read by zarrita")
    parser.add_argument("--verbose", action="store_true", help="name each array")
    verbose = parser.parse_args().verbose
    warnings.simplefilter("ignore")
    if not (HOME / "node_modules" / "zarrita").is_dir():
        print("zarrita is not installed; run: npm install --prefix tests/interop/zarrita")
        return 1
    os.environ.setdefault("NODE_NO_WARNINGS", "1")
    with tempfile.TemporaryDirectory(prefix="zom-zarrita-") as name:
        folder = Path(name)
        for module, arrays in ((v3, arrays_v3()), (v2, arrays_v2())):
            form = module.__name__.rpartition(".")[2]
            expected = write(module, arrays, folder / form)
            compare(str(folder / form), form, expected, verbose=verbose)
            with served_by_zom(folder / form) as url:
                compare(url, form, expected, verbose=verbose)
            with served(folder) as (url, requests):
                compare(f"{url}/{form}", form, expected, verbose=verbose)
                requests.clear()
                compare(f"{url}/{form}", form, expected, "consolidated", verbose=verbose)
                # A .zattrs that isn't there is in no consolidated metadata, and zarrita asks for it.
                documents = [path for path in requests if path.rpartition("/")[2] in _DOCUMENTS]
                least = len(documents) <= 3
                judged(
                    f"{form} HTTP consolidated: requests",
                    None if least else str(documents[:9]),
                    verbose=verbose,
                )
            print(f"{form}: {len(expected)} arrays", flush=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


_DOCUMENTS = {"zarr.json", ".zarray", ".zgroup", ".zmetadata"}

if __name__ == "__main__":
    sys.exit(main())
