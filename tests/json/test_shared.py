"""Values that nodes share: one object, one tuple and one text for all that are equal, and for no others."""

from __future__ import annotations

import json
from threading import Thread

import pytest

from zom import v3
from zom.json import exact
from zom.json import shared as sharing
from zom.json.exact import exact_text
from zom.json.read import read_json
from zom.json.shared import share, tuple_of
from zom.json.value import JSONList


@pytest.fixture(autouse=True)
def _nothing_is_shared():
    for kept in (sharing._seen, sharing._values, sharing._tuples, exact._known):
        kept.clear()


def read(text):
    value = read_json(text, faults := [])
    assert not faults
    return value


def test_equal_values_are_shared_from_the_second_on():
    node = '{"codecs": [{"name": "bytes"}], "attributes": {"a": [1]}}'
    first, second, third = read(node), read(node), read(node)
    assert second["codecs"] is third["codecs"] is not first["codecs"]
    assert second["attributes"] is not third["attributes"]
    assert tuple_of(second["codecs"]) is tuple_of(third["codecs"])
    assert tuple_of(first["codecs"]) == tuple_of(third["codecs"])


def test_values_that_differ_are_not_shared():
    for item in ([1], [1.0], [True], ["1"], [0.0], [-0.0], {"a": 1}, {"a": True}):
        text = json.dumps({"codecs": item})
        for _ in range(3):
            assert json.dumps(read(text)) == text


def test_the_text_of_what_is_shared_is_its_own():
    node = '{"codecs": [{"name": "bytes"}, "a"], "chunk_grid": {"b": [1, 2.0]}}'
    for _ in range(3):
        value = read(node)
        for item in (value["codecs"], tuple_of(value["codecs"]), value["chunk_grid"]):
            assert exact_text(item) == exact_text(json.loads(json.dumps(item)))


def test_a_value_that_is_gone_lends_its_text_to_no_other():
    """Another may come by the same `id`."""
    for number in range(5000):
        value = JSONList([number])
        share(b"[%d]" % number, value, 0)
        share(b"[%d]" % number, value, 0)
        assert exact_text(JSONList([number + 1])) == b"[%d]" % (number + 1)
        assert exact_text(value) == b"[%d]" % number
        assert tuple_of(value) == (number,)
        del value


def test_no_more_is_kept_than_there_is_room_for():
    for number in range(3000):
        for _ in range(2):
            assert read(json.dumps({"chunks": [number, "a" * (number % 1100)]}))["chunks"][0] == number
    assert len(sharing._values) <= 1024
    assert len(sharing._seen) <= 1024
    assert len(sharing._tuples) <= 1024
    assert len(exact._known) <= 2048
    assert max(map(len, sharing._values)) <= 1024


def test_threads_share():
    failures = []

    def work(offset):
        try:
            for number in range(2000):
                text = json.dumps({"codecs": [(number + offset) % 1500]})
                assert json.dumps(read(text)) == text
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    threads = [Thread(target=work, args=(500 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


ARRAY = {
    "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int8", "fill_value": 0,
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default"}, "codecs": ["bytes"], "dimension_names": ["x"],
}  # fmt: skip


def test_a_verdict_holds_for_the_members_that_it_was_made_of():
    changes = [
        {"fill_value": 300},
        {"codecs": [{"name": "bytes", "configuration": {"endian": 1}}]},
        {"data_type": "no-type"},
        {"chunk_key_encoding": {"name": "no-keys"}},
        {"chunk_grid": {"name": "no-grid"}},
    ]
    for _ in range(3):
        assert v3.check(json.dumps(ARRAY), level="closed") == ()
        for change in changes:
            problems = v3.check(json.dumps({**ARRAY, **change}), level="closed")
            assert {problem.pointer.split("/")[1] for problem in problems} == set(change)
        less = {name: value for name, value in ARRAY.items() if name != "fill_value"}
        assert [problem.pointer for problem in v3.check(json.dumps(less), level="closed")] == ["/fill_value"]
