"""What `repr` prints is short, however large the thing is; notebooks, logs and debuggers show it unasked."""

from __future__ import annotations

import warnings

import pytest

import zom
from zom import v3
from zom.brief import brief, short
from zom.problems import Problem

MOST = 1000
"""The characters that one `repr` may have."""
NODES = 10_000


@pytest.fixture(scope="module")
def large():
    array = v3.ArraySpec.build(shape=(48, 181), dtype="float32", chunks=(24, 91))
    attributes = {
        "text": "x" * 100_000,
        "list": list(range(10_000)),
        "deep": {"a" * 5000: [{"b": ["c" * 900]}]},
    }
    members = {f"a{number}": array for number in range(NODES - 1)}
    return v3.GroupSpec(attributes=attributes, members=members)


@pytest.fixture(scope="module")
def things(large):
    old = {"a": {"zarr_format": 3, "node_type": "aray"}} | {f"b{n}": {"zarr_format": 3} for n in range(NODES)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zom.SpecWarning)
        with pytest.raises(zom.SpecError) as error:
            zom.parse({"zarr_format": 3, "node_type": "group", "members": old})
        report = zom.validate({"zarr_format": 3, "node_type": "group", "members": old}, conventions=())
    store = zom.store("memory://reprs")
    difference = zom.diff(large, v3.GroupSpec(members={}))
    return {
        "spec": large,
        "report": report,
        "error": error.value,
        "difference": difference,
        "change": next(each for each in difference if "text" in each.pointer),
        "plan": zom.plan(large, store),
        "conversion": zom.convert(large, "v2"),
        "migration": zom.Migration(
            "a.zarr", "/", "v2", "v3", {f"a{n}/zarr.json": {} for n in range(NODES)}, dry_run=True
        ),
        "copy": zom.CopyReport("a.zarr", "/", "b.zarr", "/", tuple(_copied(n) for n in range(NODES))),
        "repair": zom.Repair("/a", "undo", tuple(f"a/{n}" for n in range(NODES))),
        "declaration": zom.declare(
            {
                "zom": 1,
                "members": {f"n{n}": {"shape": [1], "dtype": "int8", "values": [1]} for n in range(500)},
            }
        ),
        "store": store,
        "convention": max(zom.conventions.conventions, key=lambda each: len(each.rules)),
    }


def _copied(number):
    from zom.hierarchy.copy.report import CopiedNode

    return CopiedNode(f"/a{number}", "array", "raw", raw=2, nbytes=8)


EXPECTED = {
    "spec": "GroupSpec(zarr_format=3, node_type='group', attributes={'text': 'xxx",
    "report": "<zom.Report document: 10,001 errors in 10,002 nodes>",
    "error": "<SpecError 'document': 10,001 problems: /a: node_type: expected",
    "difference": "<zom.Difference 10,002 changes: - /: attributes.text: ",
    "change": "<zom.Change - /: attributes.text: ",
    "plan": "<zom.Plan memory://reprs: 10000 to create>",
    "conversion": "<zom.Conversion to a v2 group: 9,999 losses, chunks of 9,999 of 9,999 arrays move>",
    "migration": "<zom.Migration a.zarr: v2 -> v3: 10000 documents to write, nothing done: this is a dry run>",
    "copy": "<zom.CopyReport a.zarr -> b.zarr: 10000 arrays; 20000 chunks as they are, 78.1 KiB>",
    "repair": "<zom.Repair /a: to undo>",
    "declaration": "<zom.Declaration of 501 nodes, values of /n0, /n1, ",
    "store": "<MemoryStore memory://reprs>",
}


@pytest.mark.slow
@pytest.mark.parametrize("noun", EXPECTED)
def test_the_repr_of_a_thing_of_ten_thousand_nodes_is_one_short_line(things, noun):
    text = repr(things[noun])
    assert text.startswith(EXPECTED[noun])
    assert len(text) < MOST
    assert text.isprintable()


def test_a_small_spec_is_printed_whole():
    spec = v3.GroupSpec(attributes={"a": [1, (2,) and 2, "x"]}, members={"b": v3.GroupSpec()})
    assert repr(spec) == (
        "GroupSpec(zarr_format=3, node_type='group', attributes={'a': [1, 2, 'x']}, members=['b'])"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ((1,), "(1,)"),
        ([[[[[[[1]]]]]]], "[[[[[[[...]]]]]]]"),
        ([1, 2, 3], "[1, 2, 3]"),
        ("x" * 40, "'xxxxxxxxxxxxxxxxxxxx...'"),
        (["x" * 18, 1, 2], "['xxxxxxxxxxxxxxxxxx', ... and 2 more]"),
    ],
)
def test_values_are_printed_as_python_writes_them_and_cut(value, text):
    assert brief(value, 20) == text


def test_a_record_is_one_line_of_printable_characters():
    assert short("Plan", "a\n\x1b[31mb\u202e") == "<zom.Plan a\\n\\u001b[31mb\\u202e>"
    assert len(short("Plan", "\n" * 10_000)) < 320


def test_the_repr_of_a_problem_error_names_the_first():
    problem = Problem("x/y", "error", "/a", "/a", (), "1", "2")
    assert (
        repr(zom.SpecError([problem], "a.zarr")) == "<SpecError 'a.zarr': 1 problem: /a: expected 1, found 2>"
    )
    assert repr(zom.SpecError([])) == "<SpecError 'document': 0 problems>"
