"""The texts of declarations: YAML, TOML and JSON say the same, with places, and bounded."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom.declaration.source import TEXT, read_source, source_of_text
from zom.declaration.yaml_text import read_yaml
from zom.errors import SpecError

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")

TEXTS = {
    "yaml": "zom: 1\nsizes:\n  x: 4\nmembers:\n  a:\n    dims: [x]\n    dtype: int9\n",
    "toml": 'zom = 1\n[sizes]\nx = 4\n[members.a]\ndims = ["x"]\ndtype = "int9"\n',
    "json": '{"zom": 1,\n "sizes": {"x": 4},\n "members": {\n  "a": {\n   "dims": ["x"],\n   "dtype": "int9"}}}',
}
PLACES = {"yaml": (7, 12), "toml": (6, 1), "json": (6, 13)}


def problems_of(text, language="yaml", name="a.yaml"):
    with pytest.raises(SpecError) as caught:
        source_of_text(text, name, language)
    return caught.value.problems


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_problems_name_file_line_and_column(language, tmp_path):
    file = tmp_path / f"climate.{language}"
    file.write_text(TEXTS[language])
    with pytest.raises(SpecError) as caught:
        zom.declare(file)
    (problem,) = caught.value.problems
    assert (problem.key, problem.line, problem.column) == (str(file), *PLACES[language])
    assert problem.found == "no data type named 'int9' is registered"
    assert problem.fix.startswith("did you mean ")
    file.write_text(TEXTS[language].replace("int9", "int8"))
    assert zom.declare(file).spec.members["a"].shape == (4,)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_json_is_yaml(value):
    text = json.dumps(value)  # in ASCII: characters that YAML can't hold are escaped
    if "<<" in text or '"\\ud' in text or "\\ud" in text:
        return
    faults = []
    found, _ = read_yaml(text, faults, TEXT)
    assert not faults
    assert found == value
    assert json.dumps(found) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("2000-01-01", "2000-01-01"),
        ("1e3", 1000.0),
        ("0o17", 15),
        ("017", 17),
        ("0x1F", 31),
        (".inf", float("inf")),
        ("-.inf", float("-inf")),
        ("~", None),
        ("", None),
        ("1_000", "1_000"),
        ("+12", 12),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("日本", "日本"),
    ],
)
def test_scalars_are_those_of_the_core_schema(text, value):
    found, _ = read_yaml(f"a: {text}", [], TEXT)
    assert found == {"a": value}
    assert type(found["a"]) is type(value)


def test_what_is_merged_does_not_count_before_what_is_said():
    text = "base: &base {a: 1, b: 2}\nother: &other {b: 3, c: 4}\nx:\n  <<: [*base, *other]\n  a: 5\n"
    found, places = read_yaml(text, [], TEXT)
    assert found["x"] == {"a": 5, "b": 2, "c": 4}
    assert places.find(found, ("x", "c")) == (2, 25)


@pytest.mark.parametrize(
    ("text", "expected", "found", "place"),
    [
        ("zom: [1", "YAML", "no ',' or ']'", (2, 1)),
        ("zom: 1\nzom: 1", "each key once", "'zom' a second time", (2, 1)),
        ("? [1]\n: 2", "a string as key", "a mapping or list", (1, 3)),
        ("true: 2", "a string as key", "True", (1, 1)),
        ("a: !!python/object:os.system 1", "no tags", "tag:yaml.org,2002:python/object:os.system", (1, 4)),
        ("a: !custom {b: 1}", "no tags", "!custom", (1, 4)),
        ("a: &a {b: *a}", "the name of an anchor before it", "*a inside itself", (1, 11)),
        ("a: *b", "the name of an anchor before it", "*b, which doesn't exist", (1, 4)),
        ("a: " + "1" * 5000, "a number that fits 64 bits", "1" * 40, (1, 4)),
        ("a: 1e999", "a number that fits 64 bits", "1e999", (1, 4)),
        ("a: 1\n---\nb: 2", "one document", "another after ---", (2, 1)),
        ("- 1", "a mapping", "[1]", (1, 1)),
        ("", "a mapping", "null", (1, 1)),
        ("[" * 200, "values at most 100 deep", "deeper nesting", (1, 101)),
    ],
)
def test_what_is_no_declaration_is_refused(text, expected, found, place):
    (problem,) = problems_of(text)
    assert (problem.code, problem.expected, problem.found) == ("declaration/text", expected, found)
    assert (problem.line, problem.column) == (place or (None, None))


def test_a_billion_laughs_are_counted_and_not_made():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    (problem,) = problems_of("\n".join(lines))
    assert problem.expected == "at most 1048576 values, each counted where it is used"
    assert problem.line == 6


def test_large_texts_and_other_languages_are_refused_unread(tmp_path):
    (problem,) = problems_of("a: " + "x" * (1 << 24))
    assert problem.expected == "at most 16777216 bytes"
    (problem,) = problems_of("a", "txt")
    assert problem.expected == "a name that ends in .yaml, .toml or .json"
    (problem,) = problems_of(b"\xff")
    assert problem.expected == "text in UTF-8"
    with pytest.raises(SpecError, match="expected a file that can be read, found no such file"):
        read_source(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("text", "place"), [("a = ", (1, 5)), ("a = 1\na = 2", (2, 6)), ("[x]\ny = [", (3, 1)), ("=", (1, 1))]
)
def test_faults_of_toml_have_places(text, place):
    (problem,) = problems_of(text, "toml", "a.toml")
    assert problem.expected == "TOML"
    assert problem.line == place[0] or problem.line == text.count("\n") + 1


def test_dates_of_toml_are_texts():
    made = source_of_text("a = 2000-01-01\nb = [2000-01-01T00:00:00Z]\n", "a.toml", "toml")
    assert made.value == {"a": "2000-01-01", "b": ["2000-01-01T00:00:00+00:00"]}


def test_files_include_others_beside_them(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "sizes.toml").write_text("zom = 1\n[sizes]\nx = 3\ny = 5\n")
    (tmp_path / "inner" / "b.yaml").write_text(
        "zom: 1\ninclude: ../sizes.toml\nparameters: {n: 1}\nattributes: {n: '${n}', a: 2}\n"
        "members: {a: {dims: [y], dtype: int8}, b: {dims: [x], dtype: int8}}\n"
    )
    file = tmp_path / "a.yaml"
    file.write_text(
        "zom: 1\ninclude: [inner/b.yaml, sizes.toml]\nsizes: {x: 7}\nattributes: {a: 1}\n"
        "members: {a: {dims: [x], dtype: int16}}\n"
    )
    spec = zom.declare(file, n=4).spec
    assert (spec.members["a"].shape, spec.members["b"].shape) == ((7,), (7,))
    assert (spec.members["a"].data_type, spec.attributes) == ("int16", {"n": 4, "a": 1})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../other.yaml", "a file beside the declaration or below it"),
        ("a.yaml", "files that don't include themselves"),
        ("b.yaml", "files that don't include themselves"),
        ("none.yaml", "an existing file"),
    ],
)
def test_files_include_no_others(tmp_path, name, expected):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "other.yaml").write_text("zom: 1")
    (inside / "b.yaml").write_text("zom: 1\ninclude: a.yaml")
    (inside / "a.yaml").write_text(f"zom: 1\ninclude: {name}")
    with pytest.raises(SpecError) as caught:
        zom.declare(inside / "a.yaml")
    (problem,) = caught.value.problems
    assert (problem.code, problem.expected, problem.line) == ("declaration/include", expected, 2)
