"""Bundles: a small hierarchy in one JSON file, with values in base64: `bundle:///a/b.bundle`, or `b.bundle`."""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Iterable  # noqa: TC003 - plainly, for those who read
from pathlib import Path
from typing import Any

from typing_extensions import override

from zom.stores.interface import ByteRange, Capabilities, Store, cut
from zom.stores.kinds import StoreKind, store_kinds

__all__ = ["BundleKind", "BundleStore", "bundle"]


class BundleStore(Store):
    """Values by key in the JSON object in the file at `path`."""

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self._path = Path(path)
        self._guard = threading.RLock()
        self.capabilities = Capabilities(writable=not read_only)

    @property
    @override
    def url(self) -> str:
        return f"bundle://{self._path}"

    def _load(self) -> dict[str, str]:
        try:
            values: dict[str, str] = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}  # the first write creates the file
        return values

    def _save(self, values: dict[str, str]) -> None:
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}.new")
        beside.write_text(json.dumps(values), "utf-8")
        beside.replace(self._path)  # readers see the old file or the new one

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        found = self._load().get(key)
        return None if found is None else cut(base64.b64decode(found), byte_range)

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._guard:
            self._save({**self._load(), key: base64.b64encode(value).decode("ascii")})

    @override
    def _remove(self, key: str) -> None:
        with self._guard:
            values = self._load()
            if values.pop(key, None) is not None:
                self._save(values)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return [key for key in self._load() if key.startswith(prefix)]

    @override
    def __getstate__(self) -> dict[str, Any]:
        """The state for a worker process, which makes its own lock."""
        return {**super().__getstate__(), "_guard": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _guard=threading.RLock())


class BundleKind(StoreKind):
    """Opens `bundle://` and files that end in `.bundle`."""

    name = "bundle"
    schemes = ("bundle",)
    suffixes = (".bundle",)

    @override
    def open(self, place: str, *, read_only: bool | None = None, **options: Any) -> Store:
        return BundleStore(place.removeprefix("bundle://"), read_only=bool(read_only), **options)


bundle = store_kinds.register(BundleKind())
"""The kind of bundles."""
