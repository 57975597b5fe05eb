"""Mistakes that people make, each a small change of a document as writers make it: one fault, one finding.

`mistakes.json` says, for each document, which conventions it follows, and for each mistake what is changed, and
the finding that is expected: nothing else is told that isn't told of the document itself.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

import zom
from zom.conventions import conventions
from zom.conventions.framework.rule_depth import depth
from zom.problems import pointer_of
from zom.testing.convention_cases import document_of

HERE = Path(__file__).parent
DOCUMENTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("documents/*.json"))
}
CORPUS = json.loads((HERE / "mistakes.json").read_text(encoding="utf-8"))
MISTAKES = [
    pytest.param(name, said["conventions"], mistake, id=f"{name}: {mistake['name']}")
    for name, said in CORPUS.items()
    for mistake in said["mistakes"]
]
SEED = 20261123
EACH = 30
"""How many values of each document are given another type."""


def told(document: Any, asked: Any) -> Counter[tuple[str, str, str, str]]:
    report = zom.validate(document, conventions=asked)
    return Counter((each.code, each.node, pointer_of(each.inside), each.found) for each in report)


WELL_MADE = {
    (name, asked): told(DOCUMENTS[name], asked if asked == "auto" else said["conventions"])
    for name, said in CORPUS.items()
    for asked in ("auto", "named")
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_writers_make_has_no_warning(name):
    report = zom.validate(DOCUMENTS[name])
    assert report.checked
    assert [str(each) for each in report if each.severity != "note"] == []


def test_all_documents_have_mistakes():
    assert CORPUS.keys() == DOCUMENTS.keys()
    assert len(MISTAKES) >= 120


@pytest.mark.parametrize("how", ["auto", "named"])
@pytest.mark.parametrize(("name", "named", "mistake"), MISTAKES)
def test_a_mistake_gives_the_one_finding_that_is_expected(name, named, mistake, how):
    document = document_of({**mistake, "document": name}, DOCUMENTS)
    new = (
        told(document, mistake.get("conventions", named) if how == "named" else "auto") - WELL_MADE[name, how]
    )
    wanted = mistake["finding"]
    assert [each[:3] for each in new.elements()] == [(wanted["code"], wanted["node"], wanted["pointer"])]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "named", "mistake"), MISTAKES)
def test_what_is_silent_rests_on_a_finding_that_is_as_severe(name, named, mistake):
    del named
    report = zom.validate(document_of({**mistake, "document": name}, DOCUMENTS))
    order = ("error", "warning", "note")
    worst = min(order.index(each.severity) for each in report)
    assert all(order.index(each.severity) >= worst for each in report.resting)


# --- rules that name others --------------------------------------------------------------------------------


def test_rules_rest_on_rules_that_there_are_and_never_on_themselves():
    codes = {code for convention in conventions for code, _ in convention.codes()}
    for convention in conventions:
        for code, rule in convention.codes():
            for pattern in map(convention.full, (*rule.after, *rule.after_any)):
                assert any(fnmatchcase(each, pattern) for each in codes), (code, pattern)
            assert depth(convention, rule) < 9
        assert {*convention.refines} <= {each.id for each in conventions}


# --- at random ---------------------------------------------------------------------------------------------


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to each value among the attributes of all nodes of a document."""
    found: list[tuple[str | int, ...]] = []
    waiting = [(value.get("attributes") or {}, (*path, "attributes"))]
    while waiting:
        here, way = waiting.pop()
        items = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        for step, item in items:
            found.append((*way, step))
            waiting.append((item, (*way, step)))
    for name, member in (value.get("members") or {}).items():
        found += places(member, (*path, "members", name))
    return found


def of_another_type(value: Any) -> Any:
    """A value that nobody means: an object for all but objects."""
    return 7 if isinstance(value, dict) else {"a": 1}


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        document = document[int(step) if isinstance(document, list) else step]
    return document


def names(finding: tuple[str, str, str, str], path: tuple[str | int, ...]) -> bool:
    """Whether a finding is at that place, around it or in it, or names what is there."""
    step = next((place for place, each in enumerate(path) if each == "attributes"), 0)
    node, inside = path[:step], path[step:]
    _, where, pointer, found = finding
    own = "/" + "/".join(str(each) for each in node[1::2])
    here = pointer_of(inside)
    at_place = where == own and (here.startswith(pointer) or pointer.startswith(here))
    is_named = bool(node) and pointer.replace("~1", "/").rpartition("/")[0].endswith(own)
    return at_place or is_named or '{"a": 1}' in found


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_value_of_another_type_gives_one_finding_at_its_place(name):
    """At most one of a hundred such changes is told otherwise; what no convention speaks of is not told at all."""
    chance = random.Random(f"{SEED} {name}")
    every = places(DOCUMENTS[name])
    otherwise: list[str] = []
    chosen = chance.sample(every, min(EACH, len(every)))
    for path in chosen:
        document = json.loads(json.dumps(DOCUMENTS[name]))
        at(document, path[:-1])[path[-1]] = of_another_type(at(document, path))
        new = list((told(document, "auto") - WELL_MADE[name, "auto"]).elements())
        if len(new) > 1 or not all(names(each, path) for each in new):
            otherwise.append(f"{pointer_of(path)}: {new}")
    assert len(otherwise) <= len(chosen) // 100, "\n".join(otherwise)


def swapped(key: str, place: int) -> str:
    return key[:place] + key[place + 1] + key[place] + key[place + 2 :]


def slipped(document: Any, path: tuple[str | int, ...], how: str, chance: random.Random) -> bool:
    """Make that slip at `path`; False where it can't be made there."""
    holder, step = at(document, path[:-1]), path[-1]
    if how == "gone":
        del holder[step]
    elif how == "twice" and isinstance(step, int):
        holder.insert(step, holder[step])
    elif how == "misspelt" and isinstance(step, str) and len(step) > 4:
        key = swapped(step, chance.randrange(len(step) - 1))
        items = [(key if name == step else name, value) for name, value in holder.items()]
        holder.clear()
        holder.update(items)
        return key != step
    else:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("how", ["gone", "twice", "misspelt"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_slip_gives_no_more_than_one_finding(name, how):
    """What is left out, listed twice or called by a misspelt name; at most one of fifty is told in two ways."""
    chance = random.Random(f"{SEED} {name} {how}")
    every = places(DOCUMENTS[name])
    otherwise: list[str] = []
    chosen = chance.sample(every, min(EACH, len(every)))
    for path in chosen:
        document = json.loads(json.dumps(DOCUMENTS[name]))
        if slipped(document, path, how, chance):
            report = zom.validate(document)
            new = [each for each in report if each.severity != "note"]
            if len(new) > 1:
                otherwise.append(f"{pointer_of(path)}: {new}")
    assert len(otherwise) <= len(chosen) // 50, "\n".join(otherwise)


MISSPELT_KEYS = {
    "xarray-climate-v3": ("/members/t2m/attributes/cell_methods", "/members/time_bnds/attributes/_FillValue"),
    "xarray-weather-v3": ("/members/x/attributes/_FillValue",),
    "spatial": ("/attributes/spatial:shape", "/attributes/spatial:transform"),
    "proj": ("/attributes/proj:projjson", "/attributes/proj:code"),
    "geozarr": ("/attributes/multiscales", "/attributes/proj:code"),
    "nz": ("/attributes/conventions",),
    "netCDF-C": (
        "/members/rain/attributes/_nczarr_array/storage",
        "/members/rain/attributes/_nczarr_array/dimension_references",
        "/attributes/_nczarr_group/arrays",
        "/attributes/_nczarr_superblock/version",
        "/members/rain/attributes/units",
    ),
    "xarray-climate-v2": ("/members/time/attributes/units",),
    "ome-zarr-plate-0.4": ("/members/A/members/1/members/0/attributes/multiscales",),
    "spatialdata-v2": (
        "/members/images/members/blobs_image/attributes/multiscales",
        "/members/images/members/blobs_image/attributes/multiscales/0/version",
    ),
    "spatialdata-v3": (
        "/members/images/members/blobs_image/attributes/ome/multiscales",
        "/members/labels/members/blobs_labels/attributes/ome/version",
    ),
}
"""Some of which a report said nothing but notes, and some of which it told twice."""


@pytest.mark.parametrize(
    ("name", "pointer"), [(name, pointer) for name, keys in MISSPELT_KEYS.items() for pointer in keys]
)
def test_a_key_with_two_letters_swapped_is_told_once_and_by_its_name(name, pointer):
    path = tuple(pointer.split("/")[1:])
    for place in range(1, len(path[-1]) - 1):
        key = swapped(path[-1], place)
        document = json.loads(json.dumps(DOCUMENTS[name]))
        holder = at(document, path[:-1])
        if key != path[-1]:
            holder[key] = holder.pop(path[-1])
            told_of = [each for each in zom.validate(document) if each.severity != "note"]
            assert len(told_of) == 1, (key, told_of)
            assert key in f"{told_of[0].pointer} {told_of[0].found}"


# --- what Zarr itself refuses ------------------------------------------------------------------------------

NOT_LENGTHS = {
    "negative": -1,
    "too long": 2**63,
    "a float": 1.5,
    "a text": "4",
    "nothing": None,
    "true": True,
}


def arrays(value: Any, way: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The way to each array of a document that has dimensions."""
    members = (value.get("members") or {}).items()
    here = [way] if value.get("shape") else []
    return here + [each for name, member in members for each in arrays(member, (*way, "members", name))]


def chunk_shape(array: Any) -> list[Any]:
    return array["chunks"] if "chunks" in array else array["chunk_grid"]["configuration"]["chunk_shape"]


@pytest.mark.slow
@pytest.mark.parametrize("spoiled", NOT_LENGTHS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_conventions_are_silent_about_what_is_no_length(name, spoiled):
    """In the shape or the chunks of any array: the format's own finding at that array, and no other.

    Consolidated metadata differs then, too, and says so. Chunks of v3 may be longer than an array can be, and `true` is 1.
    """
    otherwise: list[str] = []
    for way in arrays(DOCUMENTS[name]):
        for of in ("shape", "the whole shape", "chunks"):
            document = json.loads(json.dumps(DOCUMENTS[name]))
            array = at(document, way)
            if of == "chunks" and "chunks" not in array and spoiled in {"too long", "true"}:
                continue
            if of == "the whole shape":
                array["shape"] = NOT_LENGTHS[spoiled]
            else:
                (array["shape"] if of == "shape" else chunk_shape(array))[0] = NOT_LENGTHS[spoiled]
            new = list((told(document, "auto") - WELL_MADE[name, "auto"]).elements())
            new = [each for each in new if each[0] != "consolidated/equal"]
            if [each[1] for each in new] != ["/" + "/".join(way[1::2])]:
                otherwise.append(f"{of} of {pointer_of(way)}: {new}")
    assert not otherwise, "\n".join(otherwise)
