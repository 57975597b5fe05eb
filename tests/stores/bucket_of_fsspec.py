"""An asynchronous file system of fsspec without directories, as those of object stores are, in memory."""

from __future__ import annotations

import asyncio
from typing import Any

from fsspec.asyn import AsyncFileSystem


class Bucket(AsyncFileSystem):
    """Objects by their names; what is asked is counted, and refused for names that end with "no"."""

    protocol = "bucket"
    cachable = False
    root_marker = ""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.held: dict[str, bytes] = {}
        self.at_once = self.most_at_once = 0

    async def _asked(self, path: str) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if path.endswith("no"):
            raise PermissionError(13, "Permission denied")

    async def _pipe_file(self, path: str, value: bytes, **_: Any) -> None:
        await self._asked(path)
        self.held[path] = value

    async def _rm_file(self, path: str, **_: Any) -> None:
        await self._asked(path)
        if self.held.pop(path, None) is None:
            raise FileNotFoundError(path)

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        await self._asked(path)
        if path not in self.held:
            raise FileNotFoundError(path)
        return self.held[path][start:end]

    async def _info(self, path: str, **_: Any) -> dict[str, Any]:
        if path in self.held:
            return {"name": path, "type": "file", "size": len(self.held[path])}
        if any(name.startswith(f"{path}/") for name in self.held):
            return {"name": path, "type": "directory", "size": 0}
        raise FileNotFoundError(path)

    async def _ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        start = f"{path}/" if path else ""
        below = [name for name in sorted(self.held) if name.startswith(start)]
        folders = {
            start + name[len(start) :].partition("/")[0] for name in below if "/" in name[len(start) :]
        }
        found = [{"name": name, "type": "directory", "size": 0} for name in sorted(folders)]
        found += [await self._info(name) for name in below if "/" not in name[len(start) :]]
        return found if detail else [each["name"] for each in found]

    async def _find(self, path: str, detail: bool = False, **_: Any) -> Any:
        names = [name for name in self.held if name.startswith(f"{path}/" if path else "")]
        return {name: await self._info(name) for name in names} if detail else names
