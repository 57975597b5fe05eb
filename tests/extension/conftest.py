"""What tests of extensions have in common."""

from __future__ import annotations

import pytest

from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.extension.registry import _revision as revision


@pytest.fixture
def nothing_stays_registered(monkeypatch):
    """What a test registers is known to no other one."""
    for registry in (codecs, data_types, chunk_grids, chunk_key_encodings):
        registry.own()  # loads them: they are to stay
        monkeypatch.setattr(registry, "_by_name", dict(registry._by_name))
        monkeypatch.setattr(registry, "_all", list(registry._all))
    yield
    revision[0] += 1
