"""Pages and parts of pages: what they tell, that nothing in them runs, and that they stay small."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.stores.memory import MemoryStore
from zom.views.html.markup import text
from zom.views.html.page import Seen, difference_page, hierarchy_page, node_page, report_page
from zom.views.html.style import COLOURS

NASTY = '</style></title><script>alert("1")</script>&\'\u202e'
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def climate():
    t2m = v3.ArraySpec.build(
        shape=(48, 181), dtype="float32", chunks=(24, 91), dimension_names=("time", "lat")
    )
    return v3.GroupSpec(attributes={"title": "a small climate"}, members={"t2m": t2m, "old": v3.GroupSpec()})


def stations(groups, arrays=9):
    members = {
        f"a{number}": v3.ArraySpec.build(shape=(1000, 7), dtype="float32", chunks=(100, 7))
        for number in range(arrays)
    }
    group = v3.GroupSpec(attributes={"height": 3}, members=members)
    return v3.GroupSpec(members={f"station{number}": group for number in range(groups)})


def test_the_page_shows_every_node_with_its_facts(checked):
    page = checked(hierarchy_page(climate()))
    assert "Zarr v3: 2 groups, 1 array, 33.9 KiB of elements before compression" in page.text
    assert "t2m float32 (time=48, lat=181) 24×91 zstd 33.9 KiB" in page.text
    assert "old group, members not read" in page.text
    assert "24×91, 4 chunks, 8.5 KiB each" in page.text


def test_the_policy_of_a_page_lets_nothing_in():
    page = hierarchy_page(climate())
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page


def nasty_group():
    attributes = {"title": NASTY, NASTY: NASTY}
    member = v3.ArraySpec.build(shape=(4,), dtype="string", fill_value=NASTY, dimension_names=(NASTY,))
    return v3.GroupSpec(attributes=attributes, members={NASTY.replace("/", ""): member})


@pytest.mark.parametrize(
    "show",
    [
        lambda spec: hierarchy_page(spec, title=NASTY),
        lambda spec: spec._repr_html_(),
        lambda spec: spec[next(iter(spec.members))]._repr_html_(),
        lambda spec: zom.validate(spec)._repr_html_(),
        lambda spec: report_page([zom.validate(spec, conventions=["xarray"])], [spec]),
        lambda spec: spec.diff(v3.GroupSpec(members={}))._repr_html_(),
        lambda spec: difference_page(v3.GroupSpec(members={}).diff(spec), NASTY, NASTY),
        lambda spec: zom.plan(spec, MemoryStore(name=NASTY))._repr_html_(),
        lambda spec: zom.convert(spec, "v2")._repr_html_(),
        lambda spec: MemoryStore(name=NASTY)._repr_html_(),
    ],
)
def test_text_of_a_document_is_never_markup(show, checked):
    page = checked(show(nasty_group()))
    assert page.tags.count("style") == 1
    assert "\u202e" not in page.raw


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(WORDS.filter(bool), WORDS, max_size=3), st.lists(WORDS.filter(bool), max_size=3))
def test_any_text_is_text(checked, attributes, names):
    document = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": attributes,
        "members": {name: {"zarr_format": 3, "node_type": "array", "attributes": 1} for name in names},
    }
    report = zom.validate(document)
    page = checked(report_page([report], [None]))
    assert len(page.words) > 10
    checked(v3.GroupSpec(attributes={**attributes, "": names}, members={})._repr_html_())


def test_names_keep_their_own_direction_of_writing():
    page = hierarchy_page(v3.GroupSpec(members={"טמפרטורה": v3.GroupSpec(members={})}))
    assert "<bdi>טמפרטורה</bdi>" in page


def test_a_page_without_problems_says_so():
    assert "Every rule that was checked holds." in hierarchy_page(
        climate(), zom.validate(climate(), conventions=()).problems
    )


def test_a_page_of_which_nothing_was_checked_does_not_say_that_rules_hold(checked):
    assert "rule" not in checked(hierarchy_page(climate())).text


def test_a_problem_is_shown_with_its_rule_and_a_link_to_its_marked_node(checked):
    document = climate().to_dict()
    document["members"]["t2m"]["codecs"].append({"name": "zsdt"})
    report = zom.validate(document, conventions=(), level="closed")
    page = checked(report_page([report], [zom.parse(document, "lenient")]))
    assert page.links == ["#n0-0"]
    assert "error codec/unknown zarr v3 or zarr-extensions defines every codec" in page.text
    assert "/t2m codecs[2].name" in page.text
    assert "; did you mean 'zstd'?" in page.text
    assert re.search(r'class=" ?marked" id=n0-0>', page.raw)
    assert "33.9 KiB 1 error" in page.text


def test_findings_are_grouped_with_the_worst_rule_first(checked):
    document = climate().to_dict()
    document["members"]["t2m"]["dimension_names"] = ["time", None]
    document["members"]["t2m"]["fill_value"] = "nan"
    document["members"]["old"]["attributes"] = 1
    page = checked(report_page([zom.validate(document, conventions=["xarray"])], [None]))
    severities = [word for word in page.words if word in {"error", "warning", "note"}]
    order = ["error", "warning", "note"]
    assert severities == sorted(severities, key=order.index)
    assert len(severities) >= 2
    assert page.links == []


def test_several_places_are_listed_and_linked(checked):
    reports = [zom.validate(climate()), zom.validate(v3.GroupSpec(members={}))]
    page = checked(report_page(reports, [climate(), None]))
    assert [link for link in page.links if link.startswith("#r")] == ["#r0", "#r1"]


def test_nodes_that_cannot_be_read_are_told_of(checked):
    page = checked(hierarchy_page(climate(), seen=Seen(broken={"/gone": "no <JSON>", "/t2m": "damaged"})))
    assert "gone cannot be read: no <JSON>" in page.text
    assert "cannot be read: damaged" in page.text


def test_a_page_of_five_thousand_nodes_shows_them_folded_in_less_than_500_kb(checked):
    page = hierarchy_page(stations(500))
    assert len(page.encode()) < 500_000
    found = checked(page)
    assert found.words.count("float32") > 4400
    # Only the root is unfolded.
    assert page.count("<details open>") == 1


def test_a_page_of_thousands_of_findings_is_below_500_kb_and_says_how_many_it_leaves_out(checked):
    document = stations(500).to_dict()
    for member in document["members"].values():
        for array in member["members"].values():
            array["fill_value"] = "x" * 500
            array["codecs"].append({"name": "zsdt"})
    report = zom.validate(document, level="closed", conventions=())
    page = report_page([report], [zom.parse(document, "lenient") if report.ok else stations(500)])
    assert len(page.encode()) < 500_000
    found = checked(page)
    assert "9,000 errors in 5,001 nodes" in found.text
    assert "×4,500" in found.text
    assert "… and 4,470 more" in found.text


def test_the_notebook_shows_few_nodes_of_many(checked):
    shown = stations(1000, 10)._repr_html_()
    assert len(shown.encode()) < 150_000
    assert "… and 900 more members" in checked(shown).text


@pytest.mark.slow
def test_members_with_findings_are_shown_where_others_are_left_out(checked):
    spec = stations(1000, 1)
    problem = zom.Problem("v3/shape", "error", "/station999/a0", "", (), "1", "2")
    page = checked(hierarchy_page(spec, [problem]))
    assert page.links == ["#n0"]
    shown = v3.GroupSpec(members={f"s{n}": v3.GroupSpec(members={}) for n in range(30_000)})
    problem = zom.Problem("v3/shape", "error", "/s29999", "", (), "1", "2")
    page = checked(hierarchy_page(shown, [problem]))
    assert "s29999" in page.text
    assert "more members" in page.text


def test_a_tree_of_a_thousand_levels_is_shown_as_deep_as_browsers_go(checked):
    spec = v3.GroupSpec(members={})
    for _ in range(900):
        spec = v3.GroupSpec(members={"a": spec})
    page = checked(hierarchy_page(spec))
    assert "840 nodes below" in page.text
    assert page.tags.count("ul") < 100


def test_attributes_of_any_size_are_cut():
    spec = v3.GroupSpec(attributes={"text": "é" * 1_000_000}, members={})
    assert len(spec._repr_html_()) < 20_000
    assert "more characters" in spec._repr_html_()
    assert len(hierarchy_page(spec).encode()) < 500_000
    assert len(node_page([], spec, title="a").encode()) < 500_000


def test_a_difference_is_shown_by_node_old_beside_new(checked):
    page = checked(
        difference_page(climate().diff(v3.GroupSpec(attributes={"title": "b"})), "a.json", "b.json")
    )
    assert "From a.json to b.json" in page.text
    assert 'attributes.title "a small climate" "b"' in page.text


def test_a_difference_shows_its_notes_and_the_places_of_values(checked):
    """Of two formats, whose codecs and keys are notes; with several elements that differ."""
    array = v3.ArraySpec.build(shape=(8,), dtype="int8", chunks=4)
    old, new = MemoryStore(), MemoryStore()
    zom.materialize(v3.GroupSpec(members={"a": array}), old)["a"][...] = np.arange(8)
    changed = np.where(np.arange(8) % 3, np.arange(8), -1)
    spec = zom.convert(v3.GroupSpec(members={"a": array}), "v2").spec
    zom.materialize(spec, new)["a"][...] = changed
    difference = zom.diff(old, new, data=True)
    assert difference.notes
    page = checked(difference_page(difference, "a.zarr", "b.zarr"))
    for note in difference.notes:
        assert " ".join(note.split()) in page.text
    assert "the first of 3 elements; also at [3], [6]" in page.text
    assert difference.to_dict()["notes"] == list(difference.notes)


def test_a_difference_says_that_values_were_not_compared(checked):
    store = MemoryStore()
    zom.materialize(climate(), store)
    page = checked(difference_page(zom.diff(store, store), "a.zarr", "a.zarr"))
    assert "no difference; values were not compared" in page.text


def test_a_large_difference_is_bounded():
    old = v3.GroupSpec(members={})
    made = difference_page(old.diff(stations(2000, 1)), "a", "b")
    assert len(made.encode()) < 500_000
    assert "… and 1,800 more nodes" in made


def test_the_page_of_an_array_shows_which_chunks_are_stored(checked):
    array = zom.create_array("memory:", climate()["t2m"])
    array[:24] = 1
    page = checked(node_page([], array.spec, title="t2m", stored=array.stored()))
    assert (
        "2 of 4 chunks are stored; the grid is 2 by 2; filled cells are stored, hollow ones are not"
        in page.text
    )
    assert "stored 2 of 4 chunks" in page.text


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    parts = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "soft", "mark", "error", "warning", "note"])
@pytest.mark.parametrize("ground", ["page", "card"])
def test_text_has_the_contrast_that_wcag_asks_for(ink, ground, mode):
    one, other = sorted((luminance(COLOURS[name][mode]) for name in (ink, ground)), reverse=True)
    assert (one + 0.05) / (other + 0.05) >= 4.5


def test_text_is_escaped_and_shows_what_nobody_sees():
    assert text("<a href='x'>\u200b\ud800") == "&lt;a href=&#x27;x&#x27;&gt;\\u200b\\ud800"


# --- what notebooks show ------------------------------------------------------------------------------


class Counting(MemoryStore):
    """A store that counts what it is asked for."""

    def __init__(self, values=None):
        super().__init__(values or {})
        self.asked = []

    def _read(self, key, byte_range):
        self.asked.append(key)
        return super()._read(key, byte_range)

    def _list_dir(self, prefix):
        self.asked.append(f"list {prefix}")
        return super()._list_dir(prefix)

    def _sizes(self, prefix):
        self.asked.append(f"sizes {prefix}")
        return super()._sizes(prefix)


def test_an_array_reads_nothing_to_show_itself(checked):
    store = Counting()
    array = zom.create_array(store, climate()["t2m"], "t2m")
    store.asked.clear()
    page = checked(array._repr_html_())
    assert "24×91, 4 chunks" in page.text
    assert store.asked == []


def test_a_group_lists_itself_and_reads_the_documents_of_its_first_members_only(checked):
    store = Counting()
    spec = v3.GroupSpec(members={f"m{number:03}": climate() for number in range(100)})
    group = zom.materialize(spec, store)
    store.asked.clear()
    page = checked(group._repr_html_())
    assert "m019 group" in page.text
    assert "m020" not in page.text
    assert "… and up to 80 more members" in page.text
    assert [each for each in store.asked if each.startswith("list")] == ["list "]
    assert len(store.asked) < 150


def test_a_group_shows_members_that_cannot_be_read(checked):
    store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "a/zarr.json": b"{"})
    assert "a cannot be read" in checked(zom.open(store)._repr_html_()).text


def test_a_tree_prints_and_shows_itself(checked):
    tree = zom.materialize(climate(), MemoryStore()).tree()
    assert repr(tree) == str(tree)
    assert tree.splitlines()[1] == "├── old  group    no members"
    assert "t2m float32" in checked(tree._repr_html_()).text


def test_a_large_tree_prints_its_first_lines_where_nobody_asked_for_it():
    tree = zom.materialize(
        v3.GroupSpec(members={f"a{n}": v3.GroupSpec() for n in range(500)}), MemoryStore()
    ).tree()
    assert len(tree.splitlines()) == 501
    assert repr(tree).splitlines()[-1] == "... and 301 more lines"


def test_every_kind_of_thing_shows_itself(checked):
    store = MemoryStore()
    spec = climate()
    things = [
        spec,
        spec["t2m"],
        zom.plan(spec, store),
        zom.materialize(spec, store),
        zom.open(store)["t2m"],
        zom.open(store)["t2m"].info,
        zom.open(store).info,
        zom.open(store)["t2m"].stored(),
        zom.validate(spec),
        zom.diff(spec, spec),
        zom.convert(spec, "v2"),
        zom.copy(store, MemoryStore()),
        zom.migrate(store, "v2", in_place=True, dry_run=True),
        zom.Repair("/a", "undone"),
        zom.declare({"zom": 1, "members": {"n": {"shape": [2], "dtype": "int8", "values": [1, 2]}}}),
        store,
    ]
    for thing in things:
        page = checked(thing._repr_html_())
        assert page.words, type(thing)
        assert len(page.raw) < 60_000


def test_a_scalar_and_an_empty_array_are_shown(checked):
    for shape in ((), (0, 3)):
        array = zom.create_array("memory:", v3.ArraySpec.build(shape=shape, dtype="int8"))
        checked(array._repr_html_())
        checked(array.stored()._repr_html_())


def test_unknown_names_are_shown_as_such(checked):
    document = climate()["t2m"].to_dict()
    document["data_type"] = "acme.int7"
    document["chunk_grid"] = {"name": "acme.grid"}
    page = checked(v3.ArraySpec.parse(document)._repr_html_())
    assert "acme.int7" in page.text
    assert np is not None


def test_findings_link_to_nodes_that_are_on_the_page():
    array = v3.ArraySpec.build(shape=(3,), dtype="int8").to_dict() | {"dimension_names": ["x", "y"]}
    groups = {
        f"g{number}": {"zarr_format": 3, "node_type": "group", "members": {f"a{n}": array for n in range(9)}}
        for number in range(500)
    }
    document = {"zarr_format": 3, "node_type": "group", "members": groups}
    problems = zom.validate(document, conventions=()).problems
    page = hierarchy_page(v3.GroupSpec.parse({**document, "members": {
        name: {**group, "members": {n: {**a, "dimension_names": None} for n, a in group["members"].items()}}
        for name, group in groups.items()
    }}, "lenient", on_warning=lambda _: None), problems)  # fmt: skip
    links = set(re.findall(r"href=#(n[0-9-]+)>", page))
    assert links <= set(re.findall(r"id=(n[0-9-]+)>", page))
    assert links
    assert len(problems) > 500


def test_a_long_name_moves_no_other_line_and_is_cut_in_a_session():
    array = v3.ArraySpec.build(shape=(4,), dtype="int8")
    tree = v3.GroupSpec(members={"n" * 3000: array, "b": array, "ccc": array}).tree()
    assert str(tree).splitlines()[1].startswith("├── " + "n" * 3000 + "  int8  (4)")
    assert str(tree).splitlines()[2:] == [
        "├── b    int8  (4)  chunks 4  zstd",
        "└── ccc  int8  (4)  chunks 4  zstd",
    ]
    shown = repr(tree).splitlines()
    assert [len(shown[1]), shown[1][-4:]] == [240, "n..."]
    assert shown[2:] == str(tree).splitlines()[2:]


def test_names_of_wide_characters_are_aligned_by_their_columns():
    array = v3.ArraySpec.build(shape=(4,), dtype="int8")
    tree = v3.GroupSpec(members={"時間": array, "lat": array}).tree()
    assert tree.splitlines()[1:] == [
        "├── 時間  int8  (4)  chunks 4  zstd",
        "└── lat   int8  (4)  chunks 4  zstd",
    ]


def test_a_long_name_moves_no_other_line_of_a_report():
    array = v3.ArraySpec.build(shape=(4,), dtype="int8")
    source, target = MemoryStore(), MemoryStore()
    spec = v3.GroupSpec(members={"n" * 200: array, "b": array, "ccc": array})
    planned = str(zom.plan(spec, source))
    zom.materialize(spec, source)
    copied = str(zom.copy(source, target))
    assert "\n  + /b    array  " in planned
    assert f"\n  + /{'n' * 200}  array  " in planned
    assert "\n  /b    array" in copied
