"""`zom schema`: what it lists and exports, and what it says about documents."""

from __future__ import annotations

import json

import pytest

import zom
from zom import v3


@pytest.fixture
def call(call):
    """Calls the verb in an empty directory: exit code, standard output, standard error."""

    def run(*arguments, stdin=b""):
        return call("schema", *arguments, stdin=stdin)

    return run


@pytest.fixture
def written(tmp_path):
    """Writes a file into the directory of the command, and gives its name."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return name

    return write


ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int8").to_dict()
GROUP = {"zarr_format": 3, "node_type": "group"}


# -- list and export ----------------------------------------------------------------------------------


def test_list_gives_names_with_titles(call):
    code, out, err = call("list")
    assert (code, err) == (0, "")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert list(lines) == zom.schema_names()
    assert lines["v3/node"] == "Zarr v3 node"
    assert lines["codec/gzip"] == "gzip codec"


def test_export_prints_the_schema(call):
    code, out, err = call("export", "v3/node")
    assert (code, err) == (0, "")
    assert json.loads(out) == zom.json_schema("v3/node")


def test_export_knows_drafts_flavours_and_addresses(call):
    arguments = ("--draft", "draft-07", "--flavour", "codegen", "--base-url", "https://example.org")
    code, out, _ = call("export", "v2/node", *arguments)
    schema = json.loads(out)
    assert code == 0
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["$id"] == "https://example.org/v1/v2/node.codegen.draft-07.schema.json"
    assert schema["title"] == "V2Node"


def test_export_writes_a_file(call, tmp_path):
    assert call("export", "codec/gzip", "-o", "gzip.json") == (0, "", "")
    assert json.loads((tmp_path / "gzip.json").read_text(encoding="utf-8")) == zom.json_schema("codec/gzip")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "export takes either a name or --infer; run zom schema list for the names"),
        (
            ("v3/node", "--infer", "a"),
            2,
            "export takes either a name or --infer; run zom schema list for the names",
        ),
        (("v3/nod",), 2, "no schema is named 'v3/nod'; did you mean 'v3/node' or 'v2/node'?"),
        (("gzip",), 2, "no schema is named 'gzip'; did you mean 'codec/gzip' or 'v2-codec/gzip'?"),
        (("nothing-like-it",), 2, "no schema is named 'nothing-like-it'; run zom schema list for the names"),
        (
            ("v3/node", "-o", "no/such/a.json"),
            3,
            "no/such/a.json: can't be written: no such file or directory; name another file",
        ),
        (
            ("--infer", "a.json"),
            3,
            "a.json: no such file or directory; name a document, a store, or - for standard input",
        ),
    ],
)
def test_export_says_why_it_can_not(call, arguments, code, message):
    assert call("export", *arguments) == (code, "", f"zom schema: {message}\n")


def test_export_of_a_draft_that_is_none_is_wrong_usage(call):
    code, out, err = call("export", "v3/node", "--draft", "draft-04")
    assert (code, out) == (2, "")
    assert err.startswith("zom schema export: argument --draft: expected one of ")
    assert "found 'draft-04'" in err
    assert err.endswith(" see zom schema export --help\n")


# -- inference ----------------------------------------------------------------------------------------


def findings(call, schema, document, written):
    code, out, _ = call("check", written("document.json", document), "--schema", schema)
    assert code == (1 if out else 0)
    return out.splitlines()


@pytest.mark.slow
def test_a_schema_inferred_from_documents_accepts_them_and_not_others(call, written):
    first = written("a.json", {**GROUP, "members": {"t": ARRAY}})
    second = written("b.json", {**GROUP, "members": {"t": ARRAY, "u": ARRAY}})
    code, _, err = call("export", "--infer", first, second, "-o", "schema.json")
    assert code == 0
    assert all(line.startswith("not expressed: ") for line in err.splitlines())
    assert findings(call, "schema.json", {**GROUP, "members": {"t": ARRAY}}, written) == []
    missing = findings(call, "schema.json", {**GROUP, "members": {"u": ARRAY}}, written)
    assert len(missing) == 1
    assert missing[0].startswith("document.json:1:")
    assert " found nothing [schema/required]" in missing[0]


def test_a_store_is_read_as_the_document_it_holds(call, written):
    written("store/zarr.json", GROUP)
    written("store/inner/zarr.json", GROUP)
    written("store/inner/t/zarr.json", ARRAY)
    written("store/inner/t/c/0", "a chunk")
    inner = {**GROUP, "members": {"t": ARRAY}}
    whole = written("whole.json", {**GROUP, "members": {"inner": inner}})
    assert call("export", "--infer", "store") == call("export", "--infer", whole)


def test_a_store_that_is_an_array_is_read(call, written):
    written("store/zarr.json", ARRAY)
    written("store/c/zarr.json", "no document: what lies in an array is chunks")
    assert call("export", "--infer", "store") == call("export", "--infer", written("whole.json", ARRAY))


def test_a_member_named_members_is_kept_apart_from_the_model_s_own(call, written):
    written("store/zarr.json", {**GROUP, "members": {"must_understand": False}})
    written("store/t/zarr.json", ARRAY)
    code, out, _ = call("export", "--infer", "store")
    assert code == 0
    assert '"t"' in out


def test_a_document_of_a_store_that_is_no_json_is_named(call, written):
    written("store/zarr.json", '{"zarr_format": 3,}')
    code, out, err = call("export", "--infer", "store")
    assert (code, out) == (3, "")
    assert err.startswith("zom schema: store/zarr.json: expected ")
    assert err.endswith("; see zom validate store\n")


def test_the_first_error_of_a_store_is_told(call, written):
    written("store/zarr.json", {**GROUP, "node_type": "grp"})
    code, out, err = call("export", "--infer", "store")
    assert (code, out) == (3, "")
    assert err.startswith(
        'zom schema: store/zarr.json: node_type: expected "group", found "grp" (line 1, column '
    )
    assert err.endswith("; see zom validate store\n")


# -- check --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_document_that_fits_has_no_errors(call, written):
    name = written("zarr.json", ARRAY)
    assert call("check", name, "--schema", "v3/node") == (
        0,
        "",
        "zarr.json: no errors, checked against v3/node\n",
    )


def test_standard_input_is_checked(call):
    code, out, err = call("check", "-", "--schema", "v3/node", stdin=json.dumps(GROUP).encode())
    assert (code, out, err) == (0, "", "standard input: no errors, checked against v3/node\n")


@pytest.mark.slow
def test_every_error_is_told_once_in_the_order_of_the_text(call, written):
    text = """{
  "zarr_format": 3,
  "node_type": "group",
  "members": {
    "a": {"zarr_format": 3, "node_type": "grp"},
    "b/c": {"zarr_format": 3, "node_type": "group"},
    "d": {"zarr_format": 3, "node_type": "array", "shape": [-1], "data_type": "int8", "fill_value": 300,
          "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0]}},
          "codecs": [{"name": "bytes", "configuration": {"level": 3}}]}
  }
}"""
    code, out, err = call("check", written("bad.json", text), "--schema", "v3/node")
    lines = out.splitlines()
    assert (
        lines[0]
        == 'bad.json:5:42: error: /a: node_type: expected "array" or "group", found "grp" [schema/enum]'
    )
    assert lines[1].startswith("bad.json:6:12: error: /b/c: expected a name that fits ^")
    assert lines[1].endswith(', found "b/c" [schema/propertyNames]')
    assert lines[2:] == [
        "bad.json:7:10: error: /d: chunk_key_encoding: expected a value, found nothing [schema/required]",
        (
            "bad.json:7:61: error: /d: shape[0]: expected an integer from 0 to 9223372036854775807, found -1"
            " [schema/minimum]"
        ),
        "bad.json:7:101: error: /d: fill_value: expected an integer from -128 to 127, found 300 [schema/maximum]",
        (
            "bad.json:8:79: error: /d: chunk_grid.configuration.chunk_shape[0]: expected an integer of at least 1,"
            " found 0 [schema/minimum]"
        ),
        (
            'bad.json:9:67: error: /d: codecs[0].configuration.level: expected only endian, found "level"'
            " [schema/additionalProperties]"
        ),
    ]
    assert (code, err) == (1, "bad.json: 7 errors, checked against v3/node\n")


SCHEMAS = [
    ({"type": "string"}, 3, ": expected a string, found 3 [schema/type]"),
    ({"type": ["integer", "null"]}, "x", ': expected an integer or null, found "x" [schema/type]'),
    ({"enum": ["C", "F"]}, "A", ': expected "C" or "F", found "A" [schema/enum]'),
    ({"type": "string", "pattern": "^a"}, "b", ': expected a string like ^a, found "b" [schema/pattern]'),
    (
        {"type": "array", "minItems": 2},
        [1],
        ": expected a list of at least 2 items, found [1] [schema/minItems]",
    ),
    ({"maxProperties": 0}, {"a": 1}, ': expected no members, found {"a": 1} [schema/maxProperties]'),
    (
        {"maxProperties": 1},
        {"a": 1, "b": 2},
        ': expected at most 1 members, found {"a": 1, "b": 2} [schema/maxProperties]',
    ),
    (
        {"additionalProperties": False},
        {"a": 1},
        ': a: expected no members, found "a" [schema/additionalProperties]',
    ),
    ({"multipleOf": 4}, 6, ": expected a multiple of 4, found 6 [schema/multipleOf]"),
    ({"not": {"const": 0}}, 0, ": expected anything but 0, found 0 [schema/not]"),
    ({"contains": {"const": 1}}, [2], ": expected a list that contains 1, found [2] [schema/contains]"),
    (
        {"uniqueItems": True},
        [1, 1],
        ": expected a list without repetitions, found [1, 1] [schema/uniqueItems]",
    ),
    ({"oneOf": [{"minimum": 1}, {"maximum": 3}]}, 2, ": expected a value, found 2 [schema/oneOf]"),
    (
        {"propertyNames": {"maxLength": 1}},
        {"ab": 1},
        ': ab: expected as name a value, found "ab" [schema/propertyNames]',
    ),
    ({"required": ["a"]}, {}, ": a: expected a value, found nothing [schema/required]"),
    (
        False,
        1,
        ": expected a value that fits the schema (False schema does not allow 1), found 1 [schema/None]",
    ),
    (
        {"dependentRequired": {"a": ["b"]}},
        {"a": 1},
        ": expected a value that fits the schema ('b' is a dependency of 'a'), found {\"a\": 1} [schema/dependentRequired]",
    ),
    (
        {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"a": {"type": "integer", "maximum": 3}}},
            ]
        },
        {"a": 4},
        ": a: expected an integer of at most 3, found 4 [schema/maximum]",
    ),
    (
        {
            "properties": {"a": {"items": {"$ref": "#/$defs/a"}, "type": "array", "minItems": 1}},
            "$defs": {"a": {}},
        },
        {"a": []},
        ": a: expected a list of at least 1 item, found [] [schema/minItems]",
    ),
    (
        {"properties": {"a": {}}, "required": ["a"]},
        {"aa": 1},
        ": a: expected a value, found nothing; did you mean 'aa'? [schema/required]",
    ),
]


@pytest.mark.parametrize(("schema", "document", "words"), SCHEMAS, ids=lambda value: str(value)[:30])
def test_each_keyword_has_words(call, written, schema, document, words):
    written("a.json", json.dumps(document))
    code, out, _ = call("check", "a.json", "--schema", written("schema.json", schema))
    assert code == 1
    assert len(out.splitlines()) == 1
    assert out.rstrip("\n").endswith(words)


@pytest.mark.slow
def test_what_the_text_itself_breaks_is_told_too(call, written):
    name = written("a.json", '{"zarr_format": 3, "zarr_format": 3, "node_type": "group"}')
    code, out, _ = call("check", name, "--schema", "v3/node")
    assert code == 1
    assert out.rstrip("\n").endswith("[json/duplicate-key]")
    code, out, _ = call("check", written("b.json", "{"), "--schema", "v3/node")
    assert code == 1
    assert out.startswith("b.json:1:2: error: expected ")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ([], "expected a JSON Schema (an object); name another file"),
        (
            {"type": "strin"},
            "not a valid JSON Schema: /type: 'strin' is not valid under any of the given schemas; correct it",
        ),
        (
            {"$ref": "https://example.org/a"},
            'the schema refers to "https://example.org/a", which is missing in it; bundle the two',
        ),
        ({"$ref": "#/$defs/a"}, 'the schema refers to "/$defs/a", which is missing in it; bundle the two'),
        (
            {"pattern": "("},
            "not a valid JSON Schema: /pattern: '(' is not a 'regex'; correct it",
        ),
    ],
    ids=str,
)
def test_a_schema_that_is_none_is_refused(call, written, schema, message):
    written("a.json", '"text"')
    name = written("schema.json", schema)
    assert call("check", "a.json", "--schema", name) == (3, "", f"zom schema: schema.json: {message}\n")


@pytest.mark.slow
def test_a_document_that_is_too_deep_for_jsonschema_is_told(call, written):
    depth = 400
    text = '{"zarr_format": 3, "node_type": "group", "members": {"a": ' * depth + "{}" + "}}" * depth
    code, out, err = call("check", written("deep.json", text), "--schema", "v3/node")
    message = "the document is too deep for Python's jsonschema; zom validate has no such limit"
    assert (code, out, err) == (3, "", f"zom schema: v3/node: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("a.json", "--schema", "nope"),
            2,
            "no such file, and no schema is named 'nope'; run zom schema list for the names",
        ),
        (
            ("none.json", "--schema", "v3/node"),
            3,
            "none.json: no such file; name a document, or - for standard input",
        ),
    ],
)
def test_check_says_why_it_can_not(call, arguments, code, message):
    assert call("check", *arguments) == (code, "", f"zom schema: {message}\n")


def test_check_without_a_schema_is_wrong_usage(call):
    message = (
        "zom schema check: the following arguments are required: --schema; see zom schema check --help\n"
    )
    assert call("check", "a.json") == (2, "", message)


def test_schema_alone_is_wrong_usage(call):
    assert call() == (
        2,
        "",
        "zom schema: the following arguments are required: VERB; see zom schema --help\n",
    )


# --- conventions -----------------------------------------------------------------------------------------


def test_the_schema_of_a_convention_is_listed_and_exported(call):
    _, listed, _ = call("list")
    assert "convention/xarray" in listed
    code, out, _ = call("export", "convention/xarray")
    assert code == 0
    assert json.loads(out)["x-zom-rules"][0]["id"].startswith("xarray/")


def test_a_document_is_checked_against_the_schema_of_a_convention(call, written):
    document = {**GROUP, "attributes": {"ome": {"version": 0.5}}}
    (line,) = findings(call, "convention/ome/0.5", document, written)
    assert "attributes.ome.version: expected a string, found 0.5 [schema/type]" in line


def test_the_report_counts_where_rules_are_expressed(call):
    code, out, _ = call("report")
    head, *lines = out.splitlines()
    assert code == 0
    assert head.split() == ["convention", "rules", "schema", "x-zom-rules", "documentation", "portable"]
    counts = {line.split()[0]: [int(each) for each in line.split()[1:5]] for line in lines}
    assert "xarray" in counts
    assert all(rules == sum(places) for rules, *places in counts.values())
    (xarray,) = (
        each
        for each in json.loads(call("report", "--format", "json")[1])["result"]
        if each["convention"] == "xarray"
    )
    assert [xarray[name] for name in ("rules", "schema", "x-zom-rules", "documentation")] == counts["xarray"]


def test_the_report_of_a_convention_lists_its_rules(call):
    code, out, _ = call("report", "convention/xarray")
    assert code == 0
    assert out.startswith("xarray:\n")
    assert "  x-zom-rules    MUST    xarray/dim-sizes" in out
    rules = json.loads(call("report", "xarray", "--format", "json")[1])["result"]
    assert {rule["expressed_in"] for rule in rules} <= {"schema", "x-zom-rules", "documentation"}


def test_a_convention_that_nobody_knows_has_no_report(call):
    code, _, err = call("report", "xaray")
    assert code == 2
    assert err.startswith("zom schema: no convention named 'xaray' is registered; ")
