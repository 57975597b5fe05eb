import subprocess
import sys

import pytest

from zom import v3
from zom.errors import SpecError
from zom.problems import pointer_of
from zom.template import ArrayTemplate, GroupTemplate


def check(attributes, given):
    problems = GroupTemplate(attributes=attributes).check(v3.GroupSpec(attributes=given))
    return [(p.pointer, p.expected, p.found, p.fix) for p in problems]


def refused(attributes):
    with pytest.raises(SpecError) as caught:
        ArrayTemplate(attributes=attributes)
    assert {problem.code for problem in caught.value.problems} == {"template/schema"}
    return [(p.pointer.removeprefix("/attributes"), p.found, p.fix) for p in caught.value.problems]


VALUES = {
    "string": "a",
    "integer": 3,
    "number": 2.5,
    "boolean": True,
    "array": [1],
    "object": {"a": 1},
    "null": None,
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("given", VALUES)
def test_the_shorthand_tells_types_apart_as_json_schema_does(name, given):
    fits = name == given or (name, given) == ("number", "integer")
    assert (check({"a": name}, {"a": VALUES[given]}) == []) is fits
    schema = {"type": "object", "properties": {"a": {"type": name}}}
    assert (check(schema, {"a": VALUES[given]}) == []) is fits


def test_an_integer_may_be_spelled_as_a_number():
    assert check({"a": "integer"}, {"a": 1.0}) == []
    assert check({"a": "any"}, {"a": None}) == []


def test_a_missing_attribute_is_told_with_the_one_that_was_meant():
    assert check({"units": "string", "scale": "number"}, {"unit": "K"}) == [
        ("/attributes/units", "an attribute that is a string", "nothing, but 'unit'", None),
        ("/attributes/scale", "an attribute that is a number", "nothing", None),
    ]


def test_an_attribute_may_be_absent_where_a_question_mark_says_so():
    assert check({"scale": "number|string|null?"}, {}) == []
    assert check({"scale": "number|string|null?"}, {"scale": []}) == [
        ("/attributes/scale", "a number or a string or null", "[]", None)
    ]


@pytest.mark.parametrize("name", ["", ".", "a.b", "a[*]", "@shape", "\\", "a\nb", "0"])
def test_an_attribute_may_have_any_name(name):
    assert check({name: "string"}, {name: "x"}) == []
    place = pointer_of(("attributes", name))
    assert check({name: "string"}, {name: 3}) == [(place, "a string", "3", None)]
    assert check({name: "any"}, {}) == [(place, "an attribute that is any value", "nothing", None)]


def test_attributes_that_are_not_named_may_be_there():
    assert check({}, {"a": 1}) == []


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["units", "levels"],
    "additionalProperties": False,
    "properties": {
        "units": {"type": "string", "minLength": 2},
        "levels": {"type": "array", "items": {"$ref": "#/$defs/level"}, "minItems": 1},
        "mode": {"enum": ["fast", "slow"]},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "either": {"anyOf": [{"type": "string"}, {"type": "array"}]},
    },
    "$defs": {"level": {"type": "integer"}},
}


def test_a_json_schema_is_checked_with_every_fault_located():
    given = {"units": "K", "levels": [1, "2", 3.5], "mod": 1, "mode": "slo", "share": 2, "either": 3}
    assert sorted(check(SCHEMA, given)) == [
        ("/attributes/either", "a string or a list", "3", None),
        ("/attributes/levels/1", "an integer", '"2"', None),
        ("/attributes/levels/2", "an integer", "3.5", None),
        (
            "/attributes/mod",
            "only either, levels, mode, share, units",
            '"mod"',
            "did you mean 'mode'?",
        ),
        ("/attributes/mode", '"fast" or "slow"', '"slo"', None),
        ("/attributes/share", "a number from 0 to 1", "2", None),
        ("/attributes/units", "a string of at least 2 characters", '"K"', None),
    ]
    assert check(SCHEMA, {"levels": []}) == [
        ("/attributes/units", "a string", "nothing", None),
        ("/attributes/levels", "a list of at least 1 item", "[]", None),
    ]


def test_a_missing_attribute_of_a_schema_is_told_with_the_one_that_was_meant():
    schema = {"type": "object", "required": ["units", "scale"], "properties": {"units": {"type": "string"}}}
    assert check(schema, {"unit": "K"}) == [
        ("/attributes/units", "a string", "nothing", "did you mean 'unit'?"),
        ("/attributes/scale", "a value", "nothing", None),
    ]


def test_a_schema_may_be_recognised_by_its_keywords():
    schema = {"required": ["units"], "properties": {"units": {"type": "string"}}}
    assert [pointer for pointer, *_ in check(schema, {})] == ["/attributes/units"]


def test_an_attribute_may_be_called_as_a_keyword_is():
    assert check({"type": "string", "required": "boolean"}, {"type": "a", "required": True}) == []
    assert [pointer for pointer, *_ in check({"type": "object"}, {})] == ["/attributes/type"]


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        ({"units": "strng"}, ("/units", '"strng"', "did you mean 'string'?")),
        ({"units": "string|nul?"}, ("/units", '"string|nul?"', "did you mean 'null'?")),
        ({"units": ""}, ("/units", '""', None)),
        (
            {"units": {"type": "string"}},
            ("/units", '{"type": "string"}', 'a JSON Schema begins with "$schema" or "type": "object"'),
        ),
        (
            {"type": "object", "propertis": {}, "required": []},
            ("/propertis", '"propertis"', "did you mean 'properties' or 'minProperties'?"),
        ),
        (
            {"type": "object", "properties": {"a": {"type": "strng"}}},
            ("/properties/a/type", '"strng"', "did you mean 'string'?"),
        ),
        (
            {"type": "object", "properties": {"a": {"minmum": 3}}},
            ("/properties/a/minmum", '"minmum"', "did you mean 'minimum'?"),
        ),
        ({"type": "object", "required": "units"}, ("/required", '"units"', None)),
        (
            {"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}},
            ("/properties/a/$ref", '"https://example.org/a"', None),
        ),
        (
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}},
            ("/properties/a/$ref", '"#/$defs/a"', None),
        ),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#"},
            ("/$schema", '"http://json-schema.org/draft-07/schema#"', None),
        ),
    ],
)
def test_a_typo_in_attributes_is_one_problem_at_definition(attributes, fault):
    assert refused(attributes) == [fault]


@pytest.mark.parametrize("schema", [{"pattern": "("}, {"patternProperties": {"(": True}}])
def test_a_pattern_in_a_schema_can_be_read(schema):
    ((pointer, found, _),) = refused({"type": "object", "properties": {"a": schema}, "required": []})
    assert pointer.startswith("/properties/a/pattern")
    assert found.startswith('"("')


def test_keywords_that_nobody_knows_are_notes():
    schema = {"type": "object", "x-unit": 3, "properties": {}}
    assert check(schema, {}) == []


def test_the_package_jsonschema_is_imported_only_for_schemas():
    code = (
        "import sys; from zom import template, v3;"
        "t = template.GroupTemplate(attributes={'a': 'string'}); t.check(v3.GroupSpec());"
        "assert 'jsonschema' not in sys.modules;"
        "template.GroupTemplate(attributes={'type': 'object', 'required': ['a']});"
        "assert 'jsonschema' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
