"""Kerchunk references in parquet: documents in `.zmetadata`, chunks in files of `record_size` rows each.

https://fsspec.github.io/kerchunk/spec.html#parquet-references: `NAME/refs.N.parq` has the rows of the chunks
from N times `record_size` on, in C order, each with `path`, `offset` and `size`, or the bytes in `raw`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from math import ceil, prod
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from typing_extensions import override

from zom.errors import StoreError
from zom.packages import imported
from zom.stores.references.document import Reference, Target, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.stores.interface import Store

__all__ = ["ParquetReferences"]

_FILES = 64
"""Number of recently read files that are kept in memory."""

_MOST = 1 << 28
"""Maximum number of chunks in an array that can be listed."""


class _Grid(NamedTuple):
    """The number of chunks along each axis of an array, and the separator in chunk names."""

    counts: tuple[int, ...]
    separator: str

    def number(self, name: str) -> int | None:
        """Return the row of the chunk of that name; None if it is not a chunk of the array."""
        parts = name.split(self.separator)
        if len(parts) != len(self.counts) or not all(part.isascii() and part.isdecimal() for part in parts):
            return None
        number = 0
        for part, count in zip(parts, self.counts, strict=True):
            if int(part) >= count or (part != "0" and part.startswith("0")):
                return None
            number = number * count + int(part)
        return number


class ParquetReferences(Mapping[str, Reference]):
    """The references in the parquet files below `prefix` of a store, read on demand."""

    def __init__(self, holder: Store, prefix: str, where: str) -> None:
        self._parquet: Any = imported("pyarrow.parquet", "parquet")
        self._holder = holder
        self._prefix = prefix
        self._where = where
        text = holder.get(f"{prefix}.zmetadata")
        if text is None:
            raise StoreError(where, "", "open", "expected references in parquet, found no .zmetadata")
        read: Any = read_text(text, where)
        document = cast("dict[str, Any]", read) if isinstance(read, dict) else dict[str, Any]()
        size, metadata = document.get("record_size"), document.get("metadata")
        if type(size) is not int or size < 1 or not isinstance(metadata, dict):
            raise StoreError(where, "", "open", "expected `record_size` and `metadata` in .zmetadata")
        self._record_size = size
        found = cast("dict[str, Any]", metadata)
        self._documents = {key: json.dumps(value).encode() for key, value in found.items()}
        self._grids = {
            key.removesuffix(".zarray"): self._grid(key, value)
            for key, value in found.items()
            if key == ".zarray" or key.endswith("/.zarray")
        }
        self._rows = lru_cache(_FILES)(self._read)

    def _grid(self, key: str, document: Any) -> _Grid:
        try:
            pairs = list(zip(document["shape"], document["chunks"], strict=True))
            counts = tuple(ceil(length / chunk) for length, chunk in pairs) or (1,)
            separator = str(document.get("dimension_separator", "."))
        except (TypeError, ValueError, KeyError, ZeroDivisionError, AttributeError) as cause:
            raise StoreError(self._where, key, "open", f"expected shape and chunks: {cause}") from None
        if separator not in {".", "/"}:
            raise StoreError(
                self._where, key, "open", f"expected a separator '.' or '/', found {separator!r}"
            )
        return _Grid(counts, separator)

    def _read(self, key: str) -> list[Reference | None]:
        """Read the references in one file; missing ones are None."""
        text = self._holder.get(f"{self._prefix}{key}")
        if text is None:
            return []
        try:
            file = self._parquet.ParquetFile(io.BytesIO(text))
            self._refuse_more(file.metadata.num_rows)
            table = file.read(columns=[name for name in _COLUMNS if name in file.schema_arrow.names])
            columns: dict[str, list[Any]] = table.to_pydict()
            return [_reference(columns, row) for row in range(table.num_rows)]
        except Exception as cause:  # noqa: BLE001 - pyarrow has exceptions of its own
            raise StoreError(self._where, key, "read", f"expected parquet: {cause}") from None

    def _refuse_more(self, rows: int) -> None:
        if rows > self._record_size:
            raise ValueError(f"{rows} rows, more than record_size")

    def _of_chunk(self, prefix: str, number: int) -> Reference | None:
        record, row = divmod(number, self._record_size)
        rows = self._rows(f"{prefix}refs.{record}.parq")
        return rows[row] if row < len(rows) else None

    @override
    def __getitem__(self, key: str) -> Reference:
        found: Reference | None = self._documents.get(key)
        above = key
        while found is None and above:
            above = above.rpartition("/")[0]
            prefix = f"{above}/" if above else ""
            grid = self._grids.get(prefix)
            number = None if grid is None else grid.number(key[len(prefix) :])
            if number is not None:
                found = self._of_chunk(prefix, number)
        if found is None:
            raise KeyError(key)
        return found

    @override
    def __iter__(self) -> Iterator[str]:
        yield from self._documents
        for prefix, grid in self._grids.items():
            if prod(grid.counts) > _MOST:
                reason = f"expected at most {_MOST} chunks in an array, found {prod(grid.counts)}"
                raise StoreError(self._where, prefix, "list", reason)
            for number, places in enumerate(product(*(range(count) for count in grid.counts))):
                if self._of_chunk(prefix, number) is not None:
                    yield prefix + grid.separator.join(map(str, places))

    @override
    def __len__(self) -> int:
        """The maximum number of references: counting the missing ones would take reading all files."""
        return len(self._documents) + sum(prod(grid.counts) for grid in self._grids.values())


_COLUMNS = ("path", "offset", "size", "raw")


def _reference(columns: dict[str, list[Any]], row: int) -> Reference | None:
    path, offset, size, raw = (columns[name][row] if name in columns else None for name in _COLUMNS)
    if raw is not None:
        return raw if isinstance(raw, bytes) else str(raw).encode()
    if path is None:
        return None
    start, length = int(offset or 0), int(size or 0)
    if start < 0 or length < 0:
        raise ValueError(f"negative offset {start} or size {length} of {path!r}")
    return Target(str(path)) if (start, length) == (0, 0) else Target(str(path), start, length)
