"""A path that is mistyped is an error, and no empty store."""

from __future__ import annotations

import pytest

import zom

VERBS = {
    "repair": zom.repair,
    "delete": lambda place: zom.delete(place, "a"),
    "rename": lambda place: zom.rename(place, "a", "b"),
    "consolidate": zom.consolidate,
    "read": zom.read,
    "open": zom.open,
    "open to write": lambda place: zom.open(place, mode="r+"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", ["typo", "typo.zip", "typo.sqlite"])
def test_nothing_is_made_where_a_path_is_mistyped(tmp_path, verb, name):
    with pytest.raises(zom.ZomError):
        VERBS[verb](tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_message_says_what_is_missing(tmp_path):
    with pytest.raises(zom.StoreError, match="cannot open: there is no such file or directory"):
        zom.repair(tmp_path / "typo")
