"""A store in memory that behaves as an icechunk session: it holds checked keys of Zarr v3, and no others."""

from __future__ import annotations

import json
import re
from itertools import starmap

from typing_extensions import override

from zom.stores.interface import Capabilities
from zom.stores.memory import MemoryStore
from zom.stores.obstacles import Obstacle

_KEY = re.compile(r"(?:(?P<node>.+)/)?(?:(?P<document>zarr\.json)|c(?P<place>(?:/\d+)*))")


class SessionStore(MemoryStore):
    """Refuses what icechunk 2.3 refuses, and deletes all that lies below a document with it."""

    capabilities = Capabilities(transactional=True, zarr_keys=True)

    def __init__(self, data=None):
        self.writes = []
        super().__init__(data)

    def _facts(self, node):
        found = super()._read(f"{node}/zarr.json".lstrip("/"), None)
        return None if found is None else json.loads(found)

    def _grid(self, facts):
        lengths = facts["chunk_grid"]["configuration"]["chunk_shape"]
        return list(starmap(lambda n, size: -(-n // size), zip(facts["shape"], lengths, strict=True)))

    def _is_inside(self, match):
        facts = self._facts(match["node"] or "")
        if facts is None or facts["node_type"] != "array":
            return False
        place = [int(number) for number in match["place"].split("/")[1:]]
        grid = self._grid(facts)
        return len(place) == len(grid) and all(n < count for n, count in zip(place, grid, strict=True))

    def _matched(self, key):
        match = _KEY.fullmatch(key)
        if match is None:
            raise ValueError(f"invalid zarr key format `{key}`")
        return match

    @override
    def _read(self, key, byte_range):
        match = _KEY.fullmatch(key)
        if match is None or (not match["document"] and not self._is_inside(match)):
            return None
        return super()._read(key, byte_range)

    @override
    def _write(self, key, value):
        match = self._matched(key)
        if match["document"]:
            old, new = self._facts(match["node"] or ""), json.loads(value)
            if old is not None and old["node_type"] != new["node_type"]:
                raise ValueError(f"node already exists at {key!r}: {old['node_type']}")
        elif not self._is_inside(match):
            raise ValueError(f"invalid chunk index: {key!r}")
        self.writes.append(key)
        super()._write(key, value)

    @override
    def _remove(self, key):
        match = _KEY.fullmatch(key)
        if match is None or (not match["document"] and not self._is_inside(match)):
            return
        super()._remove(key)
        if match["document"]:
            for below in list(self._keys(f"{match['node']}/" if match["node"] else "")):
                super()._remove(below)

    @override
    def _obstacles(self, wanted):
        for key in wanted.writes:
            if _KEY.fullmatch(key) is None:
                yield Obstacle(key, "a key of Zarr v3", "another", "write Zarr v3")
