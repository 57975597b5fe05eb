import copy
import json
import pickle

import pytest

import zom.builtin
from zom.errors import SpecError
from zom.template import (
    ArrayTemplate,
    Codecs,
    GroupTemplate,
    Names,
    NodeTemplate,
    Pattern,
    Range,
    Reference,
    Template,
    parse,
)

SATELLITE = {
    "zom_template": 1,
    "node_type": "group",
    "attributes": {"platform": "string", "cloud_cover": "number|null?"},
    "references": [{"attribute": "/bands/*/path", "kind": "array"}],
    "members": {
        "b02": {
            "node_type": "array",
            "rank": 2,
            "dimension_names": ["y", "x"],
            "dtype": ["uint", "float32"],
            "shape": {"y": {"min": 1}},
            "chunks": {"y": [256, 512], "-1": 512},
            "codecs": {"allowed": ["zstd", "blosc"], "required": ["zstd"]},
            "fill_value": None,
        },
        "mask": {"node_type": "any", "array": {"node_type": "array", "dtype": "bool"}},
    },
    "optional": ["mask"],
    "patterns": [
        {
            "pattern": "^r[0-9]+m$",
            "template": {"node_type": "group", "members": {}, "open": True},
            "min_count": 1,
            "max_count": 10,
        },
        {"pattern": "quality_.*", "template": {"node_type": "array"}, "same": ["dtype", "rank"]},
    ],
    "open": False,
    "same_length": ["y"],
}


def refused(make):
    with pytest.raises(SpecError) as caught:
        make()
    for problem in caught.value.problems:
        assert (problem.severity, problem.node) == ("error", "/")
        assert problem.code.startswith("template/")
    return [(p.pointer, p.expected, p.found, p.fix) for p in caught.value.problems]


def test_a_document_comes_back_as_it_was():
    assert parse(SATELLITE).to_dict() == SATELLITE
    assert json.loads(parse(json.dumps(SATELLITE)).to_json()) == SATELLITE


def test_a_template_written_as_json_reads_back_equal():
    template = parse(SATELLITE)
    again = parse(template.to_json(indent=2))
    assert again == template
    assert hash(again) == hash(template)


def test_templates_made_in_python_are_the_documents():
    made = GroupTemplate(
        attributes={"platform": "string", "cloud_cover": "number|null?"},
        references=[Reference(attribute="/bands/*/path", kind="array")],
        members={
            "b02": ArrayTemplate(
                rank=2,
                dimension_names=("y", "x"),
                dtype=["uint", "float32"],
                shape={"y": Range(min=1)},
                chunks={"y": {512, 256}, -1: 512},
                codecs=Codecs(allowed=["zstd", "blosc"], required=["zstd"]),
                fill_value=None,
            ),
            "mask": NodeTemplate(array=ArrayTemplate(dtype="bool")),
        },
        optional=["mask"],
        patterns=[
            Pattern(
                pattern="^r[0-9]+m$",
                template=GroupTemplate(members={}, open=True),
                min_count=1,
                max_count=10,
            ),
            {"pattern": "quality_.*", "template": {"node_type": "array"}, "same": ["dtype", "rank"]},
        ],
        open=False,
        same_length=["y"],
    )
    assert made == parse(SATELLITE)
    assert made.to_dict() == SATELLITE


def test_what_is_said_by_default_means_the_same_as_when_it_is_spelled():
    assert GroupTemplate(open=True) == GroupTemplate()
    assert hash(GroupTemplate(open=True)) == hash(GroupTemplate())
    assert GroupTemplate(open=True).to_dict() != GroupTemplate().to_dict()


@pytest.mark.parametrize(
    "other",
    [
        ArrayTemplate(rank=2),
        ArrayTemplate(rank=[1]),
        ArrayTemplate(fill_value=0),
        ArrayTemplate(fill_value=False),
        GroupTemplate(),
        GroupTemplate(members={"a": ArrayTemplate(rank=1)}),
        GroupTemplate(members={"a": ArrayTemplate(rank=2)}),
        GroupTemplate(patterns=[Pattern(pattern="a")]),
        GroupTemplate(patterns=[Pattern(pattern="a", template=ArrayTemplate())]),
        "array",
    ],
)
def test_templates_that_say_something_else_are_not_equal(other):
    assert other not in {ArrayTemplate(rank=1), GroupTemplate(members={"a": ArrayTemplate()})}
    assert other != ArrayTemplate(rank=1)


def test_a_fill_value_of_null_is_not_the_absence_of_one():
    assert "fill_value" in ArrayTemplate(fill_value=None).to_dict()
    assert parse(ArrayTemplate(fill_value=None).to_json()).model_fields_set == {"node_type", "fill_value"}


def test_a_nan_given_in_python_is_written_by_its_name():
    assert ArrayTemplate(fill_value=float("nan")).to_dict()["fill_value"] == "NaN"
    assert ArrayTemplate(fill_value=-float("inf")).to_dict()["fill_value"] == "-Infinity"


def test_a_template_cannot_change():
    template = GroupTemplate(members={"a": ArrayTemplate()})
    with pytest.raises(Exception, match="frozen"):
        template.open = False
    with pytest.raises(TypeError):
        template.members["b"] = ArrayTemplate()
    array = ArrayTemplate(chunks={"y": 3}, attributes={"a": "string"})
    with pytest.raises(TypeError):
        array.chunks["y"] = 4
    with pytest.raises(TypeError):
        array.attributes["a"] = "number"


def test_a_template_is_copied_and_pickled():
    template = parse(SATELLITE)
    assert copy.deepcopy(template) is template
    assert copy.copy(template) is template
    assert pickle.loads(pickle.dumps(template)) == template


def test_replace_changes_fields_and_takes_them_away():
    template = ArrayTemplate(rank=2, dtype="float")
    assert template.replace(rank=3, dtype=None) == ArrayTemplate(rank=3)
    assert refused(lambda: template.replace(dtype="flaot"))[0][0] == "/dtype"


def test_a_template_prints_what_it_says():
    template = GroupTemplate(members={"a": ArrayTemplate(shape={"y": Range(max=3)})}, open=False)
    assert repr(template) == "GroupTemplate(members='<1>', open=False)"
    assert repr(template.members["a"]) == "ArrayTemplate(shape={'y': Range(max=3)})"


def test_a_deep_template_is_made_written_read_and_compared():
    template = GroupTemplate()
    for _ in range(1000):
        template = GroupTemplate(members={"a": template})
    again = parse(template.to_json())
    assert again == template
    assert hash(again) == hash(template)
    assert again != GroupTemplate(members={"a": template})
    assert repr(again) == "GroupTemplate(members='<1>')"


# --- typos are errors where a template is made ----------------------------------------------------


def test_an_unknown_field_is_refused_with_the_one_meant():
    ((pointer, expected, found, fix),) = refused(lambda: ArrayTemplate(dytpe="float"))
    assert (pointer, found, fix) == ("/dytpe", '"dytpe"', "did you mean 'dtype'?")
    assert expected.startswith("only attributes, chunks, codecs")


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (
            lambda: ArrayTemplate(dtype="flot32"),
            ("/dtype", '"flot32"', "did you mean 'float32'?"),
        ),
        (
            lambda: ArrayTemplate(dtype=["int", "itn8"]),
            ("/dtype/1", '"itn8"', "did you mean 'int8'?"),
        ),
        (
            lambda: ArrayTemplate(codecs=Codecs(allowed=["gzpi"])),
            ("/allowed/0", '"gzpi"', "did you mean 'gzip'?"),
        ),
        (lambda: ArrayTemplate(codecs=["gzip"], dtype="decimal"), ("/dtype", '"decimal"', None)),
        (lambda: Range(min=5, max=3), ("/max", "3", None)),
        (lambda: Range(min=257, max=511, multiple_of=256), ("/multiple_of", "256", None)),
        (lambda: ArrayTemplate(chunks={"y": {"min": 5, "max": 3}}), ("/chunks/y/max", "3", None)),
        (lambda: ArrayTemplate(chunks={"y": {"mn": 5}}), ("/chunks/y/mn", '"mn"', "did you mean 'min'?")),
        (lambda: ArrayTemplate(chunks={"y": -1}), ("/chunks/y", "-1", None)),
        (lambda: ArrayTemplate(chunks={"y": []}), ("/chunks/y", "[]", None)),
        (lambda: ArrayTemplate(attributes=3), ("/attributes", "3", None)),
        (lambda: GroupTemplate(members=[3]), ("/members", "[3]", None)),
        (
            lambda: parse({"zom_template": 1, "node_type": "group", "members": None}),
            ("/members", "null", None),
        ),
        (lambda: ArrayTemplate(rank="2"), ("/rank", '"2"', None)),
        (lambda: ArrayTemplate(rank=True), ("/rank", "true", None)),
        (
            lambda: ArrayTemplate(dimension_names=["lat", "lon"], chunks={"lta": 5}),
            ("/chunks/lta", '"lta"', "did you mean 'lat'?"),
        ),
        (lambda: ArrayTemplate(rank=2, shape={"2": 5}), ("/shape/2", '"2"', None)),
        (lambda: ArrayTemplate(rank=2, dimension_names=["y"]), ("/dimension_names", '["y"]', None)),
        (lambda: ArrayTemplate(sharded=False, shards={"y": 4}), ("/shards", '["y"]', None)),
        (lambda: Names(required=["y", "y"]), ("/required", '["y", "y"]', None)),
        (lambda: Codecs(allowed=["gzip"], required=["zstd"]), ("/required/0", '"zstd"', None)),
        (lambda: Pattern(pattern="r[0-9+m"), ("/pattern", None, None)),
        (lambda: Pattern(pattern="r", min_count=4, max_count=2), ("/max_count", "2", None)),
        (lambda: Pattern(pattern="r", same=["dtype"]), ("/same", '["dtype"]', None)),
        (lambda: Pattern(pattern="r", same=["type"]), ("/same/0", '"type"', None)),
        (
            lambda: GroupTemplate(members={"mask": ArrayTemplate()}, optional=["maks"]),
            ("/optional/0", '"maks"', "did you mean 'mask'?"),
        ),
        (lambda: GroupTemplate(members={"a/b": ArrayTemplate()}), ("/members/a~1b", '"a/b"', None)),
        (lambda: GroupTemplate(members={"a": 3}), ("/members/a", "3", None)),
        (lambda: GroupTemplate(members={"a": int}), ("/members/a", "a Python type", None)),
        (lambda: Reference(attribute="datasets/*"), ("/attribute", '"datasets/*"', 'write "/datasets/*"')),
        (lambda: Reference(attribute="/a//b"), ("/attribute", '"/a//b"', None)),
        (lambda: Reference(attribute="/a~b"), ("/attribute", '"/a~b"', None)),
        (lambda: Reference(attribute="/a", kind="arrays"), ("/kind", '"arrays"', None)),
        (lambda: Template.parse([]), ("", "[]", None)),
        (lambda: parse({"node_type": "array"}), ("/zom_template", "nothing", None)),
        (lambda: parse({"zom_template": 2, "node_type": "array"}), ("/zom_template", "2", None)),
        (lambda: parse({"zom_template": 1}), ("/node_type", "nothing", None)),
        (
            lambda: parse({"zom_template": 1, "node_type": "aray"}),
            ("/node_type", '"aray"', "did you mean 'array'?"),
        ),
        (lambda: parse({"zom_template": 1, "node_type": "array", "rank": None}), ("/rank", "null", None)),
        (
            lambda: ArrayTemplate.parse({"zom_template": 1, "node_type": "group"}),
            ("/node_type", '"group"', None),
        ),
    ],
)
def test_a_typo_is_one_located_problem(make, fault):
    problems = refused(make)
    assert len(problems) == 1
    pointer, _, found, fix = problems[0]
    assert (pointer, fix) == (fault[0], fault[2])
    assert fault[1] is None or found == fault[1]


def test_text_that_is_no_json_is_refused_where_it_breaks():
    with pytest.raises(SpecError, match="line 1, column 2"):
        parse("{")


def test_every_fault_of_a_document_is_told_at_once_where_it_stands():
    document = {
        "zom_template": 1,
        "node_type": "group",
        "opne": True,
        "members": {
            "a": {"node_type": "array", "rank": -1, "dtype": "flaot"},
            "b": {"node_type": "grup"},
            "c": {"node_type": "group", "members": {"d": {"node_type": "array", "zom_template": 1}}},
        },
        "patterns": [
            {"pattern": "(", "min_count": 3, "max_count": 1, "tmplate": 1},
            {"pattern": "x", "template": {"node_type": "array", "chunks": {"y": {"min": 2, "max": 1}}}},
        ],
    }
    assert sorted(pointer for pointer, *_ in refused(lambda: parse(document))) == [
        "/members/a/dtype",
        "/members/a/rank",
        "/members/b/node_type",
        "/members/c/members/d/zom_template",
        "/opne",
        "/patterns/0/max_count",
        "/patterns/0/pattern",
        "/patterns/0/tmplate",
        "/patterns/1/template/chunks/y/max",
    ]


@pytest.mark.parametrize("name", ["example.decimal", "https://example.org/decimal", "urn:decimal", "r24"])
def test_types_that_others_bring_may_be_named(name):
    assert ArrayTemplate(dtype=name).dtype == name


def test_codecs_may_be_named_as_in_any_format():
    assert ArrayTemplate(codecs=["zlib", "numcodecs.zlib", "example.codec"]).codecs[0] == "zlib"


def test_the_names_that_a_template_may_use_are_loaded_with_it():
    assert zom.builtin.dtypes is not None
    assert ArrayTemplate(dtype="float32").dtype == "float32"
