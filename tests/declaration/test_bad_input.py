"""Bad input: whatever a text says, it is a declaration or a located error, in bounded time and memory."""

from __future__ import annotations

import os
import random
import tracemalloc
import warnings

import pytest
from slips import EXAMPLES, mutated_text, mutated_value, originals

import zom
from zom.cli.main import main
from zom.declaration.declare import compiled
from zom.declaration.source import source_of_text
from zom.declaration.yaml_writer import yaml_text
from zom.errors import DeclarationError

pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")

DOCUMENTS = 20_000 if os.environ.get("ZOM_DEEP") else 400


def refused(text, language="yaml"):
    with pytest.raises(DeclarationError) as caught:
        compiled(source_of_text(text, f"a.{language}", language), {})
    return caught.value.problems


def declared(text, language="yaml"):
    return compiled(source_of_text(text, f"a.{language}", language), {})


@pytest.mark.parametrize("turn", range(4))
def test_mutated_values_are_declarations_or_refused(turn, calls):
    chance = random.Random(turn)
    known = originals()
    outcomes = {True: 0, False: 0}
    for _ in range(DOCUMENTS // 4):
        document = mutated_value(chance.choice(known), chance)
        found = []
        effort = calls(lambda: found.extend(_problems(lambda: zom.declare(document))))  # noqa: B023 - called at once
        assert all(each.expected for each in found if each.severity == "error")
        outcomes[not found] += 1
        assert effort < 5_000_000, (document, effort)
    assert min(outcomes.values()) > DOCUMENTS // 100  # both happen


def _problems(declare):
    """The problems of what is no declaration; no other error may come of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            declare()
        except DeclarationError as error:
            return error.problems
    return ()


@pytest.mark.parametrize("turn", range(4))
def test_mutated_texts_are_declarations_or_refused_with_line_and_column(turn):
    chance = random.Random(turn)
    known = [(file.suffix[1:], file.read_text(encoding="utf-8")) for file in sorted(EXAMPLES.iterdir())]
    for _ in range(DOCUMENTS // 4):
        language, text = chance.choice(known)
        text = mutated_text(text.replace("rows: 16", "rows: 2"), chance)
        for problem in _problems(lambda: declared(text.encode("utf-8", "surrogatepass"), language)):  # noqa: B023 - called at once
            assert problem.line is not None, (str(problem), text)
            assert 1 <= problem.line <= text.count("\n") + 2
            assert problem.column >= 1


# --- what YAML 1.1 makes of plain words -------------------------------------------------------------------


def test_words_of_yaml_1_1_are_texts():
    made = declared(
        "zom: 1\n"
        "attributes: {on: off, y: yes, n: no, date: 2001-01-01, time: 12:30:45, octal: 010, quoted: '<<', "
        "million: 1_000, tilde: '~'}\n"
        "members:\n  no: {shape: [1], dtype: int8}\n  on/off: {}\n  2001-01-01: {}\n  1e3: {}\n  12: {}\n"
    )
    assert made.spec.attributes == {
        "on": "off",
        "y": "yes",
        "n": "no",
        "date": "2001-01-01",
        "time": "12:30:45",
        "octal": 10,
        "quoted": "<<",
        "million": "1_000",
        "tilde": "~",
    }
    assert set(made.spec.members) == {"no", "on", "2001-01-01", "12", "1e3"}


@pytest.mark.parametrize("word", ["no", "NO", "on", "y", "null", "~", "true", "1e3", "0o17", "2001-01-01", "12", ".nan", "<<", "=", "- a", "a: b", "#", "", "\u2028", "é", "&a", "*a", "!a", "%a", "@a", "`a", "|", ">"])  # fmt: skip
def test_names_are_written_so_that_they_are_read_again(word):
    value = {"zom": 1, "attributes": {word: word}}
    assert declared(yaml_text(value)).spec.attributes == {word: word}
    yaml = pytest.importorskip("yaml")
    read = yaml.safe_load(yaml_text(value))  # a reader of YAML 1.1
    assert read["attributes"] == {word: word} or word in {"2001-01-01", "="}


# --- texts that are no declarations -----------------------------------------------------------------------

LAUGHS = "zom: 1\na: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (LAUGHS, 8, "at most 1048576 values, each counted where it is used"),
        ("zom: 1\na: &a {b: *a}\n", 2, "*a inside itself"),
        ("zom: 1\na: *b\n", 2, "*b"),
        ("zom: 1\nsizes: {x: 1}\nsizes: {x: 2}\n", 3, "'sizes' a second time"),
        ("zom: 1\nattributes: {1: a, '1': b}\n", 2, "'1' a second time"),
        ("zom: 1\n\tsizes: {}\n", 2, "YAML"),
        ("zom: 1\nattributes: {a: 1e400}\n", 2, "a number that fits 64 bits"),
        ("zom: 1\nattributes: !!python/object/apply:os.system [ls]\n", 2, "no tags"),
        ("zom: 1\nattributes: {? [a, b] : c}\n", 2, "a string as key"),
        ("zom: 1\nattributes: {null: c}\n", 2, 'write "null" in quotes'),
        ("zom: 1\nattributes: {true: c}\n", 2, 'write "true" in quotes'),
        ("zom: 1\n---\nzom: 1\n", 2, "one document"),
        ("zom: 1\n<<: 3\n", 1, "a mapping, or several, after <<"),
        ("zom: 1\na: \x07\n", 2, "the character U+0007"),
        ("zom: 1\na: " + "[" * 101, 2, "values at most 100 deep"),
        ("", 1, "begin with zom: 1"),
        ("- zom", 1, "expected a mapping"),
        ("zom: 1\nsizes: {x: 99999999999999999999999}\nmembers: {a: {dims: [x], dtype: int8}}", 3, "from 0 to 9223372036854775807, found 99999999999999999999999"),
        ("zom: 1\nmembers: {'${a}': {}}\n", 2, 'expected a parameter, a loop\'s name, or whole-number arithmetic with them, found "a"'),
        ("zom: 1\nmembers: {'a/../b': {}}\n", 2, "a path of names"),
        ("zom: 1\nmembers: {a: {dtyp: int8, shape: [1]}}\n", 2, "did you mean 'dtype'?"),
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_bad_yaml_is_refused_with_its_line(text, line, message):
    found = refused(text)
    assert message in " ".join(map(str, found))
    assert found[0].line == line


def test_merge_keys_and_anchors_are_read():
    made = declared(
        "zom: 1\nattributes: {base: &base {units: K}}\nmembers:\n"
        "  a: {shape: [2], dtype: int8, attributes: &also {<<: *base, n: 1}}\n"
        "  b: {shape: [2], dtype: int8, attributes: {<<: [*also, *base], units: m}}\n"
    )
    assert made.spec.members["a"].attributes == {"n": 1, "units": "K"}
    assert made.spec.members["b"].attributes == {"units": "m", "n": 1}


def test_a_byte_order_mark_is_no_text_and_other_encodings_are_told():
    assert declared("\ufeffzom: 1\n".encode()).spec.kind == "group"
    (problem,) = refused("zom: 1\n".encode("utf-16"))
    assert "expected text in UTF-8" in str(problem)


@pytest.mark.parametrize("language", ["yaml", "json", "toml"])
def test_nesting_has_an_end_in_every_language(language):
    text = {"yaml": "a: " + "[" * 10**5, "json": '{"a": ' + "[" * 10**5, "toml": "a = " + "[" * 10**5}[
        language
    ]
    (problem,) = refused(text, language)
    assert problem.code in {"declaration/text", "json/depth", "json/syntax"} or problem.code.startswith(
        "json"
    )


def test_a_file_of_100_megabytes_is_not_read_whole(tmp_path, capsys):
    file = tmp_path / "large.yaml"
    with file.open("wb") as opened:
        opened.write(b"zom: 1\n")
        opened.truncate(100 << 20)
    tracemalloc.start()
    with pytest.raises(DeclarationError, match="at most 16777216 bytes, found more"):
        zom.declare(file)
    assert tracemalloc.get_traced_memory()[1] < 40 << 20
    tracemalloc.stop()
    assert main(["create", str(file), str(tmp_path / "out.zarr")]) == 3
    assert "more" in capsys.readouterr().err
    assert not (tmp_path / "out.zarr").exists()


def test_yaml_takes_effort_in_proportion_to_its_length(calls):
    def text(keys):
        return "zom: 1\nattributes:\n" + "".join(f"  k{key}: {{a: [1, 2], b: x}}\n" for key in range(keys))

    assert len(declared(text(20_000)).spec.attributes) == 20_000
    short, long = (calls(lambda: declared(text(keys))) for keys in (500, 5_000))  # noqa: B023 - called at once
    assert long < 15 * short


def test_loops_of_includes_end(tmp_path):
    (tmp_path / "a.yaml").write_text("zom: 1\ninclude: b.yaml\n")
    (tmp_path / "b.yaml").write_text("zom: 1\ninclude: [c.yaml]\n")
    (tmp_path / "c.yaml").write_text("zom: 1\ninclude: [a.yaml, b.yaml]\n")
    with pytest.raises(DeclarationError) as caught:
        zom.declare(tmp_path / "a.yaml")
    assert [(each.key, each.line, each.expected) for each in caught.value.problems] == [
        ("c.yaml", 2, "files that don't include themselves")
    ] * 2


def test_what_would_have_too_many_nodes_is_not_built(calls):
    plate = {"rows": 10**6, "columns": 10**6, "field": {"axes": "yx"}}
    for declaration in (
        {"zom": 1, "sizes": {"y": 8, "x": 8}, "ome": {"plate": plate}},
        {"zom": 1, "sizes": {"y": 8, "x": 8}, "ome": {"axes": "yx", "levels": 10**9}},
        {"zom": 1, "multiscales": {"levels": 10**9}, "members": {"a": {"shape": [8], "dtype": "int8"}}},
        {"zom": 1, "members": {"${i}": {"for": {"i": {"start": 1, "stop": 10**6}}}}},
        {"zom": 1, "members": {"${i}${j}": {"for": {key: {"start": 1, "stop": 10**3} for key in "ij"}}}},
    ):

        def refuse():
            with pytest.raises(DeclarationError, match="at most 131072"):
                zom.declare(declaration)  # noqa: B023 - called at once

        assert calls(refuse) < 4_000_000  # names are made before they are counted, nodes are not


def test_builders_tell_what_does_not_fit():
    def told(**given):
        with pytest.raises(DeclarationError) as caught:
            zom.declare({"zom": 1, "anndata": {"n_obs": 2, "n_var": 3, **given}})
        return [(each.pointer.removeprefix("/anndata"), each.expected) for each in caught.value.problems]

    assert told(n_obs="x") == [("/n_obs", "a whole number, 0 or more")]
    assert told(obs=["a"]) == [("/obs", "a mapping of names to elements")]
    assert told(X={"csr": 5}) == [("/X/csr", "the name of a data type")]
    assert told(X=3) == [("/X", "the name of a data type, or a mapping with csr or csc")]
    assert told(obs={"a": {"csr": "int8"}}) == [
        ("/obs/a", "the name of a data type, or a mapping with categorical or nullable")
    ]
    assert told(obs={"a": {"categorical": 3, "orderd": True}}) == [
        ("/obs/a/orderd", "an argument of the builder")
    ]
    assert told(obsm={"a": "x"}) == [("/obsm/a", "a number of columns, optionally with a data type")]
    made = zom.declare({"zom": 1, "anndata": {"n_obs": 2, "n_var": 3, "obsm": {"a": 4, "b": [5, "float64"]}}})
    assert [each.shape for each in made.spec["obsm"].members.values()] == [(2, 4), (2, 5)]
