"""The framework: what is found, counted and told, whichever convention it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import pytest

import zom
from zom import v2, v3
from zom.conventions import (
    Attributes,
    CheckedRule,
    Convention,
    Part,
    conventions,
    has,
    json_type,
    length,
    pattern,
    python,
    ref,
    required,
    schema,
)
from zom.conventions.framework.registered import Conventions
from zom.errors import ExtensionError, UnknownName


class Level(Part):
    path: Annotated[str, CheckedRule("path-text", schema(), must="the path of a level is text")]
    scale: list[float] | None = None


class Dggs(Attributes, key="dggs"):
    name: Annotated[str, CheckedRule("name-lower", pattern("[a-z0-9_-]+"), must="the name is in lower case")]
    levels: list[Level] | None = None
    coordinate: str | None = None


DGGS = Convention(
    id="dggs",
    version="v1",
    uuid="7b255807-140c-42ca-97f6-7a1cfecdbc38",
    attributes=Dggs,
    rules=(
        CheckedRule(
            "coordinate",
            ref("dggs.coordinate", kind="array"),
            must="coordinate names an array of this group",
            fix="add the array or remove 'coordinate'",
        ),
        CheckedRule(
            "scale",
            length(".scale", like="@members"),
            each="dggs.levels[*]",
            should="a scale has a number for each member",
        ),
        CheckedRule("title", required("title"), note="a title helps", when=(has("dggs.coordinate"),)),
    ),
)


def group(attributes, members=None):
    return v3.GroupSpec(attributes=attributes, members={} if members is None else members)


def array(**more):
    return v3.ArraySpec.build(shape=(4,), dtype="int8", **more)


def codes(report):
    return [(problem.code, problem.node, "/".join(map(str, problem.inside))) for problem in report]


def counts(report, code):
    (found,) = (each for each in report.rules if each.code == code)
    return found.passed, found.failed, found.skipped


def test_an_empty_text_that_was_found_is_seen():
    rule = CheckedRule(
        "named", python(lambda site: [site.breach(("attributes", "name"), "a name", "")]), must="a name"
    )
    (problem,) = zom.validate(
        v3.GroupSpec(attributes={"name": ""}), conventions=[Convention("films", owns=("name",), rules=[rule])]
    )
    assert str(problem) == 'attributes.name: expected a name, found ""'


def test_a_rule_passes_fails_or_does_not_apply_and_is_counted():
    spec = group({"dggs": {"name": "isea", "coordinate": "cell"}}, {"cell": array()})
    report = zom.validate(spec, conventions=[DGGS])
    assert codes(report) == [("dggs/title", "/", "attributes/title")]
    assert counts(report, "dggs/coordinate") == (1, 0, 0)
    assert counts(report, "dggs/scale") == (0, 0, 1)


def test_a_failing_model_hides_no_rule_across_nodes():
    report = zom.validate(
        group({"dggs": {"name": 7, "coordinate": "cels"}}, {"cell": array()}), conventions=[DGGS]
    )
    assert sorted(codes(report)) == [
        ("dggs/attributes", "/", "attributes/dggs/name"),
        ("dggs/coordinate", "/", "attributes/dggs/coordinate"),
        ("dggs/title", "/", "attributes/title"),
    ]
    (problem,) = (each for each in report if each.code == "dggs/coordinate")
    assert str(problem) == (
        "dggs.coordinate: expected the path of an array of this group, found \"cels\"; did you mean 'cell'?"
    ).replace("dggs.", "attributes.dggs.")


def test_a_fault_of_the_form_is_told_under_the_rule_beside_its_field():
    report = zom.validate(group({"dggs": {"name": "a", "levels": [{"path": 1}, {}]}}), conventions=[DGGS])
    assert codes(report) == [
        ("dggs/path-text", "/", "attributes/dggs/levels/0/path"),
        ("dggs/path-text", "/", "attributes/dggs/levels/1/path"),
    ]


def test_a_fix_of_the_rule_is_told_where_no_name_is_near():
    report = zom.validate(group({"dggs": {"name": "a", "coordinate": "x"}}), conventions=[DGGS])
    (problem,) = (each for each in report if each.code == "dggs/coordinate")
    assert problem.fix == "add the array or remove 'coordinate'"


def test_members_that_were_not_read_make_a_rule_not_apply():
    spec = v3.GroupSpec(attributes={"dggs": {"name": "a", "coordinate": "x"}})
    report = zom.validate(spec, conventions=[DGGS])
    (found,) = (each for each in report.rules if each.code == "dggs/coordinate")
    assert dict(found.reasons) == {"the members of the group are unknown": 1}


def test_what_is_asked_for_and_is_not_there_is_an_error():
    report = zom.validate(group({}), conventions=[DGGS])
    assert [str(problem) for problem in report] == [
        "expected metadata of dggs/v1, such as dggs, found none at any node"
    ]
    assert not report.ok
    assert report.checked == 0


def test_profiles_and_suppression():
    spec = group({"dggs": {"name": "a", "levels": [{"path": "0", "scale": [1.0]}]}})
    assert [problem.severity for problem in zom.validate(spec, conventions=[DGGS])] == ["warning"]
    assert [problem.severity for problem in zom.validate(spec, conventions=[DGGS], profile="full")] == [
        "error"
    ]
    assert codes(zom.validate(spec, conventions=[DGGS], profile="schema")) == []
    hidden = zom.validate(spec, conventions=[DGGS], suppress="dggs/*@/**")
    assert hidden.problems == ()
    assert len(hidden.suppressed) == 1


@pytest.mark.parametrize("text", ["", "@/a", "x/*@a"])
def test_a_suppression_that_is_none_is_refused(text):
    with pytest.raises(
        ValueError, match=r"^suppress: expected a pattern of rules, or of rules and nodes such as"
    ):
        zom.validate(group({}), suppress=[text])


def test_a_suppression_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match=r"^suppress: expected patterns as text, got 7$"):
        zom.validate(group({}), suppress=[7])


def test_a_convention_that_is_not_known_is_named_with_those_that_are():
    with pytest.raises(UnknownName, match="no convention named 'xaray' is registered; did you mean 'xarray'"):
        zom.validate(group({}), conventions=["xaray"])


def test_a_profile_that_is_none_is_refused():
    with pytest.raises(
        ValueError, match=r"^profile: expected 'text', 'schema', 'strict' or 'full', got 'loose'$"
    ):
        zom.validate(group({}), profile="loose")


VERSIONS = [
    Convention(
        id="grid", version=version, owns=("grid",), version_at=("grid.version",), assumed=version == "1"
    )
    for version in ("1", "2")
]


def test_the_version_that_a_node_says_is_taken():
    report = zom.validate(group({"grid": {"version": "2"}}), conventions=VERSIONS)
    assert [(each.convention, each.how) for each in report.conventions] == [
        ("grid/2", 'has grid, version "2"')
    ]
    assert zom.validate(group({"grid": {}}), conventions=VERSIONS).conventions[0].convention == "grid/1"


@pytest.mark.parametrize("version", ["3", 2, None, [], {}])
def test_a_version_that_is_not_known_is_one_loud_finding(version):
    inner = group({"grid": {"version": version}})
    report = zom.validate(group({"grid": {"version": version}}, {"a": inner}), conventions=VERSIONS)
    assert codes(report) == [("convention/unknown-version", "/", "attributes/grid/version")]


def test_another_version_than_the_one_asked_for_is_an_error():
    spec = group({"grid": {"version": "2"}})
    report = zom.validate(spec, conventions=VERSIONS[:1])
    assert report.problems[0].code == "convention/unknown-version"


def test_a_rule_whose_function_raises_is_named():
    def broken(site):
        raise KeyError(site.node.name)

    convention = Convention("x", owns=("x",), rules=(CheckedRule("y", python(broken), must="y"),))
    with pytest.raises(ExtensionError, match=r"the rule's function .*broken failed at /: KeyError\(''\)"):
        zom.validate(group({"x": 1}), conventions=[convention])


@pytest.mark.parametrize("selector", ["", "a.", ".a.", "a..b", "[*]", "a[0]", "a[*]b", "@nothing", "@"])
def test_a_selector_that_is_none_is_refused_when_the_rule_is_made(selector):
    with pytest.raises(ExtensionError, match=r"^selector "):
        required(selector)


def test_two_rules_of_one_id_are_refused():
    rules = (CheckedRule("a", required("x"), must="x"), CheckedRule("a", required("y"), must="y"))
    with pytest.raises(ExtensionError, match="two rules have the id 'a'"):
        Convention("x", owns=("x",), rules=rules)


def test_findings_in_a_store_have_key_and_line():
    store = zom.store("memory://conventions-lines")
    store.set(
        "zarr.json", b'{"zarr_format": 3, "node_type": "group",\n "attributes": {"dggs":\n {"name": "A"}}}'
    )
    (problem,) = zom.validate(store, conventions=[DGGS]).problems
    assert (problem.code, problem.key, problem.line) == ("dggs/name-lower", "zarr.json", 3)


def test_findings_in_text_have_lines():
    text = (
        '{"zarr_format": 3, "node_type": "group", "members": {},\n "attributes": {"dggs":\n {"name": "A"}}}'
    )
    (problem,) = zom.validate(text, conventions=[DGGS]).problems
    assert (problem.pointer, problem.line) == ("/attributes/dggs/name", 3)


def test_v2_attributes_stand_in_their_own_document():
    store = zom.store("memory://conventions-v2")
    store.set(".zgroup", b'{"zarr_format": 2}')
    store.set(".zattrs", b'{"dggs": {"name": "A"}}')
    (problem,) = zom.validate(store, conventions=[DGGS]).problems
    assert (problem.key, problem.pointer) == (".zattrs", "/dggs/name")
    assert (
        codes(zom.validate(v2.GroupSpec(attributes={"dggs": {"name": "A"}}), conventions=[DGGS]))[0][0]
        == "dggs/name-lower"
    )


def test_consolidated_metadata_is_validated_as_the_hierarchy_that_it_describes():
    text = (
        '{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},\n'
        '"a/.zgroup": {"zarr_format": 2},\n"a/.zattrs": {"dggs": {"name": "A"}}}}'
    )
    (problem,) = zom.validate(text, conventions=[DGGS]).problems
    assert (problem.node, problem.pointer, problem.line) == ("/a", "/metadata/a~1.zattrs/dggs/name", 3)


def test_the_digest_is_that_of_the_documents():
    spec = group({"title": "x"})
    assert zom.validate(spec).digest == zom.validate(spec.to_json()).digest
    assert zom.validate(spec).digest != zom.validate(group({"title": "y"})).digest


def test_a_rule_of_the_form_may_stand_among_the_rules():
    class Plain(Attributes, key="plain"):
        name: str
        size: int = 0

    rules = (
        CheckedRule("name", schema(), must="the name is text", each="plain.name"),
        CheckedRule("form", schema(), must="plain is an object with a name", each="plain"),
    )
    convention = Convention("plain", attributes=Plain, rules=rules)
    assert [code for code, _ in convention.codes()] == ["plain/name", "plain/form"]
    report = zom.validate(group({"plain": {"size": "x"}}), conventions=[convention])
    assert codes(report) == [
        ("plain/name", "/", "attributes/plain/name"),
        ("plain/form", "/", "attributes/plain/size"),
    ]


def test_documents_that_are_alike_are_judged_alike_each_at_its_own_node():
    spec = group({}, {name: group({"dggs": {"name": "A", "coordinate": "x"}}) for name in ("a", "b")})
    report = zom.validate(spec, conventions=[DGGS])
    assert sorted(codes(report)) == [
        (code, node, f"attributes/{place}")
        for code, place in [
            ("dggs/coordinate", "dggs/coordinate"),
            ("dggs/name-lower", "dggs/name"),
            ("dggs/title", "title"),
        ]
        for node in ("/a", "/b")
    ]
    assert counts(report, "dggs/name-lower") == (0, 2, 0)
    assert counts(report, "dggs/attributes") == (2, 0, 0)


def test_more_documents_than_are_remembered_are_counted_once_each():
    members = {f"n{index}": group({"dggs": {"name": f"a{index}"}}) for index in range(5000)}
    assert counts(zom.validate(group({}, members), conventions=[DGGS]), "dggs/name-lower") == (5000, 0, 0)


# --- conventions that belong together ------------------------------------------------------------------


def declared(convention, **attributes):
    return {"zarr_conventions": [{"uuid": convention.uuid, "name": convention.id}], **attributes}


def test_all_that_is_not_declared_is_told_at_once():
    attributes = {"zarr_conventions": [], "proj:code": "EPSG:4326", "uom": {"ucum": {"unit": "m"}}}
    (problem,) = (each for each in zom.validate(group(attributes)) if each.code == "convention/undeclared")
    assert str(problem) == (
        'attributes.zarr_conventions: expected proj, uom declared in zarr_conventions, because "proj:code", "uom" are used, '
        "found no declaration of them; "
        'add {"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f", "name": "proj"}, '
        '{"uuid": "3bbe438d-df37-49fe-8e2b-739296d46dfb", "name": "uom"} to zarr_conventions'
    )


def test_keys_that_are_used_must_be_declared_where_the_convention_says_so():
    convention = replace(DGGS, declared=True)
    report = zom.validate(group({"dggs": {"name": "a"}}), conventions=[convention])
    (problem,) = report
    assert str(problem) == (
        'attributes.zarr_conventions: expected dggs declared in zarr_conventions, because "dggs" is used, found nothing; '
        'add {"uuid": "7b255807-140c-42ca-97f6-7a1cfecdbc38", "name": "dggs"} to zarr_conventions'
    )
    assert (
        zom.validate(group(declared(convention, dggs={"name": "a"})), conventions=[convention]).problems == ()
    )


def test_what_is_declared_and_not_used_is_a_warning():
    problem, unchecked = zom.validate(group(declared(DGGS)), conventions=[DGGS]).problems
    assert unchecked.code == "convention/nothing-checked"
    assert (problem.code, problem.severity) == ("convention/unused", "warning")
    assert problem.inside == ("attributes", "zarr_conventions", 0)


def test_keys_may_stand_within_others():
    convention = replace(DGGS, within=("levels[*]",))
    report = zom.validate(group(declared(convention, levels=[{"dggs": 1}])), conventions=[convention])
    assert [problem.code for problem in report] == ["convention/nothing-checked"]


def test_a_key_has_one_owner():
    other = Convention("grids", owns=("dggs",))
    registry = Conventions("convention", "zom.conventions")
    registry.register(other)
    with pytest.raises(ExtensionError, match=r"^the convention 'dggs/v1' owns 'dggs', which 'grids' owns"):
        registry.register(DGGS)
    report = zom.validate(group({"dggs": {"name": "a"}}), conventions=[DGGS, other])
    assert codes(report) == [("convention/owned-twice", "/", "attributes/dggs")]


def test_arrays_inherit_rules_on_arrays_and_nothing_is_told_twice():
    rules = (
        CheckedRule(
            "size", length("dggs.size", like="@shape"), must="as many sizes as dimensions", on="array"
        ),
        CheckedRule("name", required("dggs.name"), must="there is a name"),
    )
    for inherit, heirs in [("none", []), ("children", ["/a"]), ("descendants", ["/a", "/g/b"])]:
        convention = Convention("dggs", owns=("dggs",), rules=rules, inherit=inherit)
        members = {"a": array(), "g": group({}, {"b": array()})}
        report = zom.validate(group({"dggs": {"size": [1, 2]}}, members), conventions=[convention])
        found = [(problem.code, problem.node) for problem in report if problem.code == "dggs/name"]
        assert found == [("dggs/name", "/")]
        passed, failed, _ = counts(report, "dggs/size")
        assert (passed, failed) == (0, len(heirs))


def test_what_is_declared_nearer_counts():
    rules = (
        CheckedRule(
            "size", length("dggs.size", like="@shape"), must="as many sizes as dimensions", on="array"
        ),
    )
    convention = Convention("dggs", owns=("dggs",), rules=rules, inherit="descendants")
    own = array(attributes={"dggs": {"size": [1]}})
    inner = group({"dggs": {"size": [2]}}, {"b": array()})
    report = zom.validate(group({"dggs": {"size": []}}, {"a": own, "g": inner}), conventions=[convention])
    assert report.problems == ()
    assert counts(report, "dggs/size") == (2, 0, 0)


def test_who_asks_for_a_bundle_asks_for_its_parts_where_they_are():
    broken = group(declared(conventions.of_id("proj")[0], **{"proj:code": 7}), {})
    assert {problem.code.partition("/")[0] for problem in zom.validate(broken, conventions=["geozarr"])} == {
        "proj"
    }
    assert codes(zom.validate(group({}), conventions=["geozarr"])) == [("convention/absent", "/", "")]


def test_what_is_said_of_a_document_is_not_said_of_one_with_another_title():
    # The whole object is shown, with the title in it: it is that of one document only.
    rules = (CheckedRule("plain", json_type(["string"], at="about"), must="about is text"),)
    convention = Convention("about", owns=("about",), rules=rules, free=("about.title",))
    members = {name: group({"about": {"title": name * 9}}) for name in ("a", "b")}
    found = {
        problem.node: problem.found for problem in zom.validate(group({}, members), conventions=[convention])
    }
    assert found == {"/a": '{"title": "aaaaaaaaa"}', "/b": '{"title": "bbbbbbbbb"}'}
    assert counts(zom.validate(group({}, members), conventions=[convention]), "about/plain") == (0, 2, 0)


def test_documents_that_differ_in_free_texts_are_counted_each():
    rules = (CheckedRule("title", required("about.title"), must="there is a title"),)
    convention = Convention("about", owns=("about",), rules=rules, free=("about.title",))
    members = {f"n{number}": group({"about": {"title": f"t{number}"}}) for number in range(3)}
    members["none"] = group({"about": {}})
    assert counts(zom.validate(group({}, members), conventions=[convention]), "about/title") == (3, 1, 0)


@pytest.mark.parametrize("name", ["XArray", "XARRAY", "xaray"])
def test_a_convention_that_is_not_known_is_told_with_a_near_name(name):
    with pytest.raises(UnknownName) as caught:
        zom.validate(v3.GroupSpec(), conventions=[name])
    assert str(caught.value) == (
        f"no convention named {name!r} is registered; did you mean 'xarray'? Or install the package that provides it: "
        'zom loads installed entry points of "zom.conventions"'
    )


@pytest.mark.parametrize("asked", [None, 7, [None], ["cf", 7]])
def test_what_names_no_convention_is_refused(asked):
    with pytest.raises(
        TypeError, match="conventions: expected 'auto', or names of conventions and conventions, got"
    ):
        zom.validate(v3.GroupSpec(), conventions=asked)
