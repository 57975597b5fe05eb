"""Paths, names and keys: what each grammar accepts, and how it refuses the rest."""

from __future__ import annotations

import json
import ntpath
import posixpath
import re
import shutil
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from zom.errors import PathError
from zom.paths import (
    DRAFT_NAME_PATTERN,
    V2_NAME_PATTERN,
    V3_NAME_PATTERN,
    check_key,
    check_stored_key,
    check_stored_prefix,
    collisions,
    document_name_faults,
    join,
    name_faults,
    name_of,
    parent,
    parse_path,
    windows_reserved,
)
from zom.problems import rules

PATTERNS = {"v2": V2_NAME_PATTERN, "v3": V3_NAME_PATTERN, "draft": DRAFT_NAME_PATTERN}
CASES = [
    "", "a", "A.b-c_0", "/", "a/b", "a\\b", ".", "..", "...", "....a", "__a", "_a", "__", "a__", "zarr.json",
    "zarr.jsonx", "zarr_json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", ".zarrays", "zarray", "a b",
    "a\n", "\n", "..\n", "zarr.json\n", "a\nb", "\x00", "\x1f", "\x7f", "\x85", "\x9f", "\xa0", "é", "名", "😀",
    "\u2028", "0.0", "c", "~", "a\r", ".zarray\n", "\ufeff",
]  # fmt: skip


def refusals(name, form):
    faults = []
    name_faults(name, form, faults, ("members", name))
    assert all(fault.path == ("members", name) for fault in faults)
    return [(fault.rule.code, fault.expected) for fault in faults]


# -- node names --------------------------------------------------------------------------------------

V3, V2, DRAFT = "v3/node-name", "v2/node-name", "draft/node-name"
EMPTY = "a name that is not empty"
SLASH = 'a name without "/"'
CONTROL = "a name without control characters"
PERIODS = "a name that is not only periods"


@pytest.mark.parametrize(
    ("form", "name", "expected"),
    [
        ("v3", "", [(V3, EMPTY)]),
        ("v3", "a/b", [(V3, SLASH)]),
        ("v3", "a\n", [(V3, CONTROL)]),
        ("v3", "\x00", [(V3, CONTROL)]),
        ("v3", "..", [(V3, PERIODS)]),
        ("v3", "...", [(V3, PERIODS)]),
        ("v3", "__x", [(V3, 'a name that does not start with "__"')]),
        ("v3", "zarr.json", [(V3, 'a name other than "zarr.json", the key of the document itself')]),
        ("v3", "__a/b", [(V3, SLASH), (V3, 'a name that does not start with "__"')]),
        ("v2", "", [(V2, EMPTY)]),
        ("v2", "a/b", [(V2, SLASH)]),
        ("v2", "a\\b", [(V2, "a name without backslashes, which v2 reads as slashes")]),
        ("v2", "a\t", [(V2, CONTROL)]),
        ("v2", "..", [(V2, 'a name other than "." and ".."')]),
        (
            "v2",
            ".zgroup",
            [(V2, "a name other than .zarray, .zgroup, .zattrs, .zmetadata, keys of the format itself")],
        ),
        ("v2", "é", [("v2/ascii-name", "a name of ASCII characters")]),
        ("v2", "é/", [(V2, SLASH), ("v2/ascii-name", "a name of ASCII characters")]),
        ("draft", "", [(DRAFT, EMPTY)]),
        ("draft", "a b", [(DRAFT, "a name of the characters a-z, A-Z, 0-9, -, _ and .")]),
        ("draft", ".", [(DRAFT, PERIODS)]),
        ("draft", "\ud800", [(DRAFT, "a name of the characters a-z, A-Z, 0-9, -, _ and .")]),
        ("v3", "a\ud800", [("path/surrogate", "a name without lone surrogates")]),
        ("v2", "a\ud800", [("path/surrogate", "a name without lone surrogates")]),
        ("v3", "/\ud800", [(V3, SLASH), ("path/surrogate", "a name without lone surrogates")]),
    ],
)
def test_a_name_is_refused_for_each_reason(form, name, expected):
    assert refusals(name, form) == expected


@pytest.mark.parametrize("name", ["a", "A.b-c_0", "0", "....a", "_x", "zarr.jsonx", "0.0"])
@pytest.mark.parametrize("form", PATTERNS)
def test_portable_names_are_accepted_in_every_format(name, form):
    assert refusals(name, form) == []


@pytest.mark.parametrize("name", ["é", "名 前", "😀", "a\\b", ".zarray", "a~b", "\u2028"])
def test_v3_names_are_open_to_all_of_unicode(name):
    assert refusals(name, "v3") == []


@pytest.mark.parametrize("name", ["__x", "zarr.json", "..."])
def test_v2_accepts_names_that_only_v3_keeps_for_itself(name):
    assert refusals(name, "v2") == []


def test_a_fault_shows_the_name():
    faults = []
    name_faults("a\n", "v3", faults)
    assert faults[0].found == '"a\\n"'
    assert faults[0].path == ()


def test_a_v2_name_outside_ascii_is_a_warning_at_the_strict_level_only():
    rule = rules()["v2/ascii-name"]
    assert (rule.lenient, rule.strict, rule.closed) == (None, "warning", "warning")


@pytest.mark.parametrize("code", [V3, V2, DRAFT])
def test_node_names_are_rules_that_json_schema_says_too(code):
    assert rules()[code].schema
    assert rules()[code].severity("strict") == "error"
    assert rules()[code].severity("lenient") == "warning"


def test_surrogates_are_a_rule_that_json_schema_cannot_say():
    assert not rules()["path/surrogate"].schema


names = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("./\\_-\n\x7f\x85aZ0")
) | st.builds(str.__add__, st.sampled_from(CASES), st.sampled_from(["", "\n", ".", "a", "/", "_"]))


@pytest.mark.parametrize("form", PATTERNS)
@given(name=names)
@example(name="a\n")
def test_pattern_and_function_agree(form, name):
    errors = [code for code, _ in refusals(name, form) if code != "v2/ascii-name"]
    assert (re.search(PATTERNS[form], name) is None) == bool(errors)


@pytest.mark.parametrize("form", PATTERNS)
@pytest.mark.parametrize("name", CASES)
def test_pattern_and_function_agree_on_the_corners(form, name):
    errors = [code for code, _ in refusals(name, form) if code != "v2/ascii-name"]
    assert (re.search(PATTERNS[form], name) is None) == bool(errors)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, an ECMA-262 engine")
@pytest.mark.parametrize("flags", ["", "u"])
def test_the_patterns_mean_the_same_in_ecma_262(flags):
    script = (
        "const [patterns, names, flags] = JSON.parse(process.argv[1]);"
        "console.log(JSON.stringify(patterns.map(p => names.map(n => new RegExp(p, flags).test(n)))))"
    )
    patterns = list(PATTERNS.values())
    command = ["node", "-e", script, json.dumps([patterns, CASES[:], flags])]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert answer == [[re.search(p, name) is not None for name in CASES] for p in patterns]


@pytest.mark.parametrize("pattern", PATTERNS.values())
def test_the_patterns_are_anchored(pattern):
    assert pattern.startswith("^")
    assert pattern.endswith("$")


# -- node paths --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ()),
        ("/", ()),
        ("a", ("a",)),
        ("/a", ("a",)),
        ("a/b", ("a", "b")),
        ("/a/b", ("a", "b")),
        ("a/b/", ("a", "b")),
        ("/a/b/", ("a", "b")),
        ("/a\\b/...", ("a\\b", "...")),
    ],
)
def test_paths_are_read(path, expected):
    assert parse_path(path) == expected


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("//", "an empty name"),
        ("a//b", "an empty name"),
        ("//a", "an empty name"),
        ("a//", "an empty name"),
        (".", "'.'"),
        ("/a/../b", "'..'"),
        ("a/.", "'.'"),
        ("/a/b\0c", r"'b\x00c'"),
    ],
)
def test_paths_are_refused(path, found):
    message = f"{path!r}: expected a node path such as '/image/0', found {found} in it"
    with pytest.raises(PathError) as caught:
        parse_path(path)
    assert str(caught.value) == message


name_lists = st.lists(
    st.text(st.characters(exclude_characters="/\0"), min_size=1).filter(lambda n: n not in {".", ".."})
)


@given(name_lists)
def test_a_joined_path_is_read_as_its_names(names):
    assert parse_path(join(names)) == tuple(names)


@given(name_lists.filter(bool))
def test_a_path_is_its_parent_and_its_name(names):
    path = join(names)
    assert join([*parse_path(parent(path)), name_of(path)]) == path


def test_the_root_has_no_name_and_no_parent():
    assert name_of("/") == name_of("") == ""
    for root in ("/", ""):
        with pytest.raises(PathError, match=r"^'/': the root has no parent$"):
            parent(root)


# -- store keys --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key", ["zarr.json", "a/b/c/0/0", ".zarray", "0.0", "a b", "é/名", "...", ".a", "a..", "__x"]
)
def test_keys_are_returned_as_they_are(key):
    assert check_key(key) is key
    assert check_stored_prefix(f"{key}/") == f"{key}/"


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("", "an empty one"),
        ("/", "a slash before it"),
        ("/etc/passwd", "a slash before it"),
        ("a/", "a slash after it"),
        ("a//b", "an empty name in it"),
        ("a\\b", "a backslash in it"),
        ("a\0", "a control character in it"),
        ("a\n", "a control character in it"),
        ("a/\x85", "a control character in it"),
        ("a\x7f/b", "a control character in it"),
        ("a\ud800", "a lone surrogate in it"),
        ("..", "'.' or '..' in it"),
        ("a/../b", "'.' or '..' in it"),
        ("./a", "'.' or '..' in it"),
        ("a/.", "'.' or '..' in it"),
    ],
)
def test_keys_are_refused(key, found):
    with pytest.raises(PathError) as caught:
        check_key(key)
    assert str(caught.value) == f"{key!r}: expected a store key such as 'image/zarr.json', found {found}"


@given(st.text(st.characters() | st.sampled_from("./\\a\n"), max_size=8))
def test_a_key_is_accepted_or_refused_with_a_reason(key):
    segments = key.split("/")
    clean = not any(unicodedata.category(c) in {"Cc", "Cs"} or c == "\\" for c in key)
    try:
        check_key(key)
    except PathError:
        assert not clean or {"", ".", ".."} & set(segments)
    else:
        assert clean
        assert not {"", ".", ".."} & set(segments)


@pytest.mark.parametrize(
    "key", ["a\n", "a\\b", "\x7f/b", "a/\x85", "\udcff/a", "a.zarr/\udce9", "zarr.json", "...", "__x/0", ":a"]
)
def test_keys_that_others_made_are_stored_keys(key):
    assert check_stored_key(key) is key
    assert check_stored_prefix(f"{key}/") == f"{key}/"


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("", "an empty one"),
        ("/etc/passwd", "a slash before it"),
        ("a//b", "an empty name in it"),
        ("a\0", "a control character in it"),
        ("a\ud800", "a lone surrogate in it"),
        ("\udcc3\udca9", "escaped bytes that form whole characters"),
        ("a/../b", "'.' or '..' in it"),
        ("..\\a", "a backslash in it, which some systems read as a slash"),
        ("a/b\\..\\..\\c", "a backslash in it, which some systems read as a slash"),
        ("\\a", "a backslash in it, which some systems read as a slash"),
        ("a\\", "a backslash in it, which some systems read as a slash"),
        ("C:\\a", "a backslash in it, which some systems read as a slash"),
        ("a/.zom-1", "a name that begins with '.zom-', like temporary files of zom,"),
    ],
)
def test_keys_that_lead_out_are_no_stored_keys(key, found):
    with pytest.raises(PathError) as caught:
        check_stored_key(key)
    assert str(caught.value) == f"{key!r}: expected a store key such as 'image/zarr.json', found {found}"


@given(st.text(st.characters() | st.sampled_from("./\\a\n\udcc3\udca9"), max_size=8))
def test_a_stored_key_stays_below_its_root_on_every_system(key):
    assume(key[1:2] != ":")  # a drive of Windows, where there are no local stores
    try:
        check_stored_key(key)
    except PathError:
        with pytest.raises(PathError):
            check_key(key)
    else:
        for system in (posixpath, ntpath):
            whole = system.normpath(system.join("root", key)).replace("\\", "/")
            assert whole.startswith("root/")
            assert len(whole.split("/")) == 1 + len(re.split(r"[/\\]", key))


@pytest.mark.parametrize("name", ["", "a/b", ".", "..", "a\0"])
def test_what_is_no_part_of_a_path_is_an_error_at_every_level(name):
    for form in PATTERNS:
        for level in ("lenient", "strict", "closed"):
            document_name_faults(name, form, level, faults := [])
            assert "error" in {fault.rule.severity(level) for fault in faults}


@given(st.text(st.sampled_from("abZ09_-.\n é"), max_size=6))
@example("__a")
@example("zarr")
@example("a\n")
@example("²")
def test_names_in_documents_and_names_alone_are_judged_alike(name):
    """What most names are is looked at first."""
    for form in PATTERNS:
        name_faults(name, form, faults := [])
        document_name_faults(name, form, "strict", found := [])
        assert found == faults


def test_the_empty_prefix_is_the_whole_store():
    assert check_stored_prefix("") == ""


def test_a_prefix_needs_its_slash():
    with pytest.raises(PathError) as caught:
        check_stored_prefix("a")
    assert str(caught.value) == "'a': expected a prefix such as 'image/', found no slash after it"


@pytest.mark.parametrize("prefix", ["/", "../", "a//"])
def test_a_prefix_is_a_key_before_its_slash(prefix):
    with pytest.raises(PathError, match="expected a store key"):
        check_stored_prefix(prefix)


# -- file systems ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        ([], []),
        (["a", "b", "ab"], []),
        (["a", "a"], []),
        (["a", "A"], [("a", "A")]),
        (["A", "a", "b", "B", "a"], [("A", "a"), ("b", "B")]),
        (["é", "e\u0301"], [("é", "e\u0301")]),
        (["É", "e\u0301"], [("É", "e\u0301")]),
        (["straße", "STRASSE"], [("straße", "STRASSE")]),
        (["ﬁ", "fi"], [("ﬁ", "fi")]),
        (["Å", "\u212b"], [("Å", "\u212b")]),
        (["²", "2"], []),
    ],
)
def test_names_that_some_file_systems_hold_as_one(names, pairs):
    assert collisions(names) == pairs


@given(st.lists(st.text(max_size=3)))
def test_each_name_collides_with_its_upper_case(names):
    for name in names:
        if name.upper().casefold() == name.casefold() and name.upper() != name:
            assert (name, name.upper()) in collisions([name, name.upper()])


@pytest.mark.parametrize(
    "name", ["con", "NUL.zarr", "Aux", "com1", "LPT9.x.y", "COM²", "conin$", "nul .x", "a.", "a ", "...", "a:b", "a?", "a\x01", 'a"', "a/b", "a\\b"]
)  # fmt: skip
def test_names_that_windows_cannot_hold(name):
    assert windows_reserved(name)


@pytest.mark.parametrize(
    "name", ["console", "com10", "com0", "a.con", ".zarray", "c", "0.0", "é", ".", "..", " a", ""]
)
def test_names_that_windows_can_hold(name):
    assert not windows_reserved(name)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="ntpath.isreserved is new in Python 3.13")
@given(st.text(st.sampled_from("conuxCOMlptLPT019²$ .:?a"), max_size=8))
def test_windows_names_are_those_that_python_knows(name):
    # Below a directory: alone, a name such as `c:` is a drive.
    assert windows_reserved(name) == ntpath.isreserved(f"x/{name}")


@pytest.mark.parametrize("path", [5, None, b"a", ("a", "b")])
def test_what_is_no_text_is_no_path(path):
    with pytest.raises(TypeError, match="expected a node path such as '/image/0', found "):
        parse_path(path)
