"""Filters: the Zarr codecs that match the filter pipeline of a dataset.

If every filter of a dataset has a codec that produces the same bytes, its chunks are valid Zarr chunks:

| filter | number | codec | same bytes |
|---|---|---|---|
| deflate (gzip) | 1 | `numcodecs.zlib` | yes |
| shuffle | 2 | `numcodecs.shuffle` | yes |
| fletcher32 | 3 | `numcodecs.fletcher32` | yes |
| bzip2 | 307 | `numcodecs.bz2` | yes |
| blosc | 32001 | `blosc` | yes |
| zstd | 32015 | `zstd` | yes |
| lz4 | 32004 | `numcodecs.lz4` | no: other framing |
| bitshuffle | 32008 | `blosc` with bitshuffle | no |
| blosc2 | 32026 | `blosc` | no |

Other filters (lzf, szip, nbit, scaleoffset, zfp, ...) have no codec: their data is compressed with zstd.

https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.conversion.codecs import definition
from zom.dataclass import dataclass
from zom.integrations.hdf5.losses import FILTER, FILTER_MISSING
from zom.integrations.hdf5.stored_chunks import look_at_chunks
from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.conversion.losses import Report

__all__ = ["Pipeline", "pipeline_of"]

_BLOSC: Final = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")
_SHUFFLES: Final = ("noshuffle", "shuffle", "bitshuffle")
_NAMES: Final = {4: "szip", 5: "nbit", 6: "scaleoffset", 32000: "lzf", 32013: "zfp"}
_ZSTD: Final = definition("zstd", {"level": 3, "checksum": True})

# zarr-python requires a configuration here.
_SUM: Final = definition("numcodecs.fletcher32", {})

_SHUFFLE, _FLETCHER32 = 2, 3


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The codecs of a dataset that follow the conversion of elements to bytes."""

    codecs: tuple[dict[str, Any], ...]
    same_bytes: bool
    """Whether the codecs encode a chunk to the same bytes as in the file."""
    missing: str | None = None
    """The filter that the chunks require and that is not installed, if any."""


def pipeline_of(dataset: Any, report: Report, *, width: int, is_stored: bool) -> Pipeline:
    """Return the codecs for the filters of a dataset whose elements have `width` bytes; 0 means any number.

    `is_stored` is true if elements have the same bytes in Zarr as in the file.

    >>> import h5py
    >>> from zom.conversion.losses import Report
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     made = file.create_dataset("a", (9,), "i2", chunks=(4,), shuffle=True, compression="gzip")
    ...     [codec["name"] for codec in pipeline_of(made, Report(()), width=2, is_stored=True).codecs]
    ['numcodecs.shuffle', 'numcodecs.zlib']
    """
    h5py = imported("h5py", "hdf5")
    filters = dataset.id.get_create_plist()
    made: list[dict[str, Any]] = []
    same = True
    unnamed: list[str] = []
    missing: str | None = None
    for index in range(filters.get_nfilters()):
        code, _flags, values, raw_name = filters.get_filter(index)
        name = _NAMES.get(code) or f"{raw_name.decode('utf-8', 'replace')} ({code})".lstrip()
        if not h5py.h5z.filter_avail(code) and _is_used(dataset, index):
            missing = missing or name
        if not width and code == _SHUFFLE:
            continue  # for elements of variable length, HDF5 shuffles the pointers
        known = _FILTERS.get(code)
        if known is None:
            unnamed.append(name)
            same = False
            continue
        made.extend(known.codecs(values if is_stored or code != _SHUFFLE else (), width))
        same = same and known.same_bytes
    if _is_uneven(made):
        # HDF5 doesn't shuffle trailing bytes of an incomplete element; the codec can't express that.
        made = [codec for codec in made if codec is not _SUM] + [_SUM]
        same = False
    if unnamed:
        fix = "data is compressed by zstd" if _is_open(made) else "data is compressed by the other filters"
        report.add(FILTER, ("codecs",), "filters with a codec", ", ".join(unnamed), fix)
        made.extend([_ZSTD] if _is_open(made) else [])
    if missing is not None and not same:
        fix = "install the filter (pip install hdf5plugin) and import it before the file is opened"
        report.add(FILTER_MISSING, ("codecs",), "installed filters", missing, fix)
    return Pipeline(tuple(made), same, missing)


def _is_used(dataset: Any, index: int) -> bool:
    """Whether the filter was applied to any chunk: writers without it skip an optional filter."""
    used: list[bool] = []

    def look(info: Any) -> bool:
        if not info.filter_mask >> index & 1:
            used.append(True)
        return bool(used)

    look_at_chunks(dataset, look)
    return bool(used)


def _is_uneven(codecs: Sequence[dict[str, Any]]) -> bool:
    """Whether a four-byte checksum is shuffled together with larger elements, as in netCDF."""
    seen = False
    for codec in codecs:
        seen = seen or codec is _SUM
        if seen and codec["name"] == "numcodecs.shuffle" and 4 % codec["configuration"]["elementsize"]:
            return True
    return False


def _is_open(codecs: Sequence[dict[str, Any]]) -> bool:
    """Whether no codec compresses."""
    return all(codec["name"] in {"numcodecs.shuffle", "numcodecs.fletcher32"} for codec in codecs)


@dataclass(frozen=True, slots=True)
class _Filter:
    """A filter with a codec, built from the filter's parameters and the element size."""

    codecs: Callable[[tuple[int, ...], int], list[dict[str, Any]]]
    same_bytes: bool = True


def _at(values: tuple[int, ...], index: int, default: int) -> int:
    return int(values[index]) if len(values) > index else default


def _shuffle(values: tuple[int, ...], width: int) -> list[dict[str, Any]]:
    size = _at(values, 0, width) or width
    return [definition("numcodecs.shuffle", {"elementsize": size})] if size > 1 else []


def _zlib(values: tuple[int, ...], _width: int) -> list[dict[str, Any]]:
    return [definition("numcodecs.zlib", {"level": min(_at(values, 0, 6), 9)})]


def _fletcher32(_values: tuple[int, ...], _width: int) -> list[dict[str, Any]]:
    return [_SUM]


def _bz2(values: tuple[int, ...], _width: int) -> list[dict[str, Any]]:
    return [definition("numcodecs.bz2", {"level": min(max(_at(values, 0, 9), 1), 9)})]


def _zstd(values: tuple[int, ...], _width: int) -> list[dict[str, Any]]:
    return [definition("zstd", {"level": min(_at(values, 0, 3), 22), "checksum": False})]


def _lz4(_values: tuple[int, ...], _width: int) -> list[dict[str, Any]]:
    return [definition("numcodecs.lz4", {"acceleration": 1})]


def _blosc_codec(name: str, level: int, shuffle: str, size: int) -> list[dict[str, Any]]:
    sizes = {} if shuffle == "noshuffle" else {"typesize": size}
    configuration = {"cname": name, "clevel": min(level, 9), "shuffle": shuffle, **sizes, "blocksize": 0}
    return [definition("blosc", configuration)]


def _blosc(values: tuple[int, ...], width: int) -> list[dict[str, Any]]:
    size, level, shuffle = _at(values, 2, width), _at(values, 4, 5), _at(values, 5, 1)
    name = _BLOSC[_at(values, 6, 0)] if _at(values, 6, 0) < len(_BLOSC) else "zstd"
    way = _SHUFFLES[shuffle] if shuffle < len(_SHUFFLES) else "noshuffle"
    return _blosc_codec(name, level, way, min(max(size, 1), 255))


def _bitshuffle(values: tuple[int, ...], width: int) -> list[dict[str, Any]]:
    name = "zstd" if _at(values, 4, 0) == 3 else "lz4"
    return _blosc_codec(name, 5, "bitshuffle", min(max(width, 1), 255))


_FILTERS: Final[dict[int, _Filter]] = {
    1: _Filter(_zlib),
    _SHUFFLE: _Filter(_shuffle),
    _FLETCHER32: _Filter(_fletcher32),
    307: _Filter(_bz2),
    32001: _Filter(_blosc),
    32015: _Filter(_zstd),
    32004: _Filter(_lz4, same_bytes=False),
    32008: _Filter(_bitshuffle, same_bytes=False),
    32026: _Filter(_blosc, same_bytes=False),
}
