"""JSON texts: what is read, what is refused and where, and what is written."""

from __future__ import annotations

import json
import math
import random
import sys
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zom.errors import SpecError
from zom.json.exact import same
from zom.json.place import locate, locate_all
from zom.json.read import read_json, read_own
from zom.json.scan import scan
from zom.json.value import JSONDict, JSONList, freeze
from zom.json.write import write_json
from zom.limits import DEFAULT_LIMITS, Limits
from zom.problems import pointer_of

# -- what is read ------------------------------------------------------------------------------------

text = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('":\\ {}[],\n\x00é😀'))
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**400) + 1, 10**400 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=5) | st.dictionaries(text, v, max_size=5), max_leaves=20
)
styles = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 0, 1, "\t"]),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,\r\n", " \t: ")]),
    }
)


def well_read(source, **options):
    faults = []
    value = read_json(source, faults, **options)
    assert faults == []
    return value


def scanned(source):
    faults = []
    return scan(source, faults, DEFAULT_LIMITS), faults


def only(source, **options):
    """The value that is read, and the facts of its only fault."""
    faults = []
    value = read_json(source, faults, **options)
    (fault,) = faults
    return value, (fault.rule.code, fault.path, fault.expected, fault.found, fault.fix)


def located(source):
    """The same, with line and column behind what was found."""
    value, (code, path, expected, found, fix) = only(source)
    faults = []
    read_json(source, faults)
    return value, (code, path, expected, "{} at line {}, column {}".format(found, *faults[0].place), fix)


@given(values, styles)
def test_both_ways_of_reading_give_what_the_standard_library_gives(value, style):
    source = json.dumps(value, **style)
    for made in (well_read(source), well_read(source.encode()), *scanned(source)[:1]):
        assert same(made, json.loads(source))
    assert scanned(source)[1] == []


@given(values)
def test_what_is_read_is_frozen(value):
    made = well_read(json.dumps(value))
    assert freeze(made, []) is made
    waiting = [made]
    while waiting:
        item = waiting.pop()
        assert type(item) not in {dict, list}
        waiting += item.values() if isinstance(item, dict) else item if isinstance(item, list) else []


def strict_loads(source):
    def refuse(word):
        raise ValueError(word)

    return json.loads(source, parse_constant=refuse)


BASES = [
    '{"zarr_format": 3, "shape": [10, -0.5e+3], "a": {"b": [true, false, null, "x\\n\\u00e9\\\\"]}}',
    '[1, 2.0, -3, "", [], {}, [[]], {"": {}}, 1e5, 0, -0, 0.0, 12.5E-7]',
    '"\\ud83d\\ude00 \\/ \\b\\f\\r\\t"',
    " \t\r\n[ 1 , 2 ] \n",
]
PIECES = [
    *'{}[],:"\\/ \t\n\r\x00\x0b\x1f\x7f\xa00123456789.-+eEaunItrf',
    "null", "NaN", "-Infinity", "true", "\\u12", '""', "//", "'", "\\ud800", "é", "\u2028", "01", "1.", ".5",
]  # fmt: skip


@st.composite
def mutations(draw):
    source = draw(st.sampled_from(BASES) | values.map(json.dumps))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(source)))
        cut = draw(st.integers(0, 3))
        source = source[:at] + draw(st.sampled_from(["", *PIECES])) + source[at + cut :]
    return source


STRICTER = {
    "json/duplicate-key",
    "json/integer-digits",
    "json/not-finite",
    "json/number-range",
    "json/surrogate",
}


def agrees_with_the_standard_library(source):
    made, faults = scanned(source)
    codes = {fault.rule.code for fault in faults}
    try:
        expected = strict_loads(source)
    except ValueError:
        assert codes - (STRICTER - {"json/not-finite"}), source
        assert "json/syntax" not in codes or (made is None and len(faults) == 1)
    else:
        assert codes <= STRICTER - {"json/not-finite"}, source
        if not codes - {"json/duplicate-key"}:
            assert same(made, expected), source
    read_faults = []
    assert same(read_json(source, read_faults), made)
    assert read_faults == faults


@settings(max_examples=400)
@given(mutations())
@example('{"a":1,}')
@example("[1,]")
@example('{"a" 1}')
@example("[\x0b1]")
def test_texts_are_valid_where_the_standard_library_finds_them_valid(source):
    agrees_with_the_standard_library(source)


def test_thousands_of_broken_texts_are_judged_as_the_standard_library_does():
    dice = random.Random(20260101)
    for _ in range(20_000):
        source = dice.choice(BASES)
        for _ in range(dice.randrange(1, 3)):
            at = dice.randrange(len(source) + 1)
            source = source[:at] + dice.choice(["", *PIECES]) + source[at + dice.randrange(3) :]
        agrees_with_the_standard_library(source)


@pytest.mark.parametrize("source", BASES)
def test_every_beginning_of_a_text_is_one_syntax_error(source):
    whole = source.rstrip()
    for end in range(len(whole)):
        value, fault = only(whole[:end])
        assert value is None
        assert fault[0] == "json/syntax"


near = st.sampled_from(
    [0, 0.0, -0.0, False, 1, 1.0, True, "1", None, 2**63, [], {}, [0], [False], {"a": 0}, {"a": 0.0}]
)
"""Values that are the same to Python, or nearly, and are not in JSON."""


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                name: near
                | st.lists(near, max_size=3)
                | st.dictionaries(st.sampled_from("ab"), near, max_size=2)
                for name in ("codecs", "chunk_grid", "chunks", "compressor", "attributes")
            },
        ),
        max_size=6,
    )
)
def test_what_nodes_share_is_what_each_of_them_says(nodes):
    source = json.dumps({"members": {str(number): node for number, node in enumerate(nodes)}})
    assert json.dumps(well_read(source)) == json.dumps(json.loads(source))


@given(
    st.lists(
        st.sampled_from(['{"a":1}', '{"a":1,"a":1}', '{"a":2,"a":1}', "[{}]", '[{"a":1,"a":1}]']), max_size=5
    )
)
def test_a_name_given_twice_is_found_in_what_nodes_share(codecs):
    members = ",".join(f'"{number}":{{"codecs":{value}}}' for number, value in enumerate(codecs))
    read_json(f'{{"members":{{{members}}}}}', faults := [])
    twice = [("members", str(number)) for number, value in enumerate(codecs) if value.count("a") == 2]
    assert [fault.path[:2] for fault in faults] == twice
    assert {fault.rule.code for fault in faults} <= {"json/duplicate-key"}


@pytest.mark.parametrize("value", ['["\\udcff"]', '{"\\udcff": 1}', '[{"a": "\\ud800"}]'])
def test_what_zom_wrote_with_half_a_character_is_read_where_nodes_share_values(value):
    """It was an error of the compiled writer."""
    source = f'{{"codecs": {value}, "members": {{"a": {{"chunks": {value}}}}}}}'
    assert read_own(source.encode(), faults := []) == json.loads(source)
    assert not faults


# -- names given twice -------------------------------------------------------------------------------


def test_of_a_name_given_twice_the_last_value_counts():
    value, fault = located('{"a": 1,\n "b": 2, "a": 3}')
    assert value == {"a": 3, "b": 2}
    assert list(value) == ["a", "b"]
    assert fault == (
        "json/duplicate-key",
        ("a",),
        "each name once",
        '"a" again at line 2, column 10',
        "remove all but the last",
    )


@pytest.mark.parametrize(
    "source",
    [
        '{"a" :1,"a" :2,"b":":"}',
        '{"a" :1,"a":":::"}',
        '{"a":1,"\\u0061":2}',
        '{"a":"\\":","a":"\\":"}',
        '{"x":{"a":"12:30","a":"\\": :"}}',
        '{"a"\n:1,"a"\t:2}',
    ],
)
@pytest.mark.parametrize("kind", [str, str.encode])
def test_no_spelling_hides_a_name_given_twice(source, kind):
    assert only(kind(source))[1][0] == "json/duplicate-key"


@pytest.mark.parametrize(
    "source", ['{"a":":"}', '{"a\\":":1,"b":"\\" :"}', '["\\":",{"t":"12:30"}]', '{":":{"::":0}}']
)
def test_colons_in_text_are_no_names(source):
    assert well_read(source) == well_read(source.encode()) == json.loads(source)


def test_each_repetition_is_a_fault_of_its_own():
    faults = []
    read_json('{"a": 1, "a": 2, "a": 3, "c": [{"b": 1, "b": 2}]}', faults)
    assert [pointer_of(f.path) for f in faults] == ["/a", "/a", "/c/0/b"]


# -- numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_not_finite_is_a_float_and_a_fault(word):
    value, fault = only(f'{{"fill_value": [{word}]}}')
    number = math.nan if word == "NaN" else float(word)
    assert value == {"fill_value": [number]}  # every NaN is one object
    assert write_json(value) == f'{{"fill_value":[{word}]}}'
    expected = ("json/not-finite", ("fill_value", 0), "a finite number", word, f'write it as "{word}"')
    assert fault == expected


@pytest.mark.parametrize("digits", ["1e400", "-1E+999", "9" * 400 + ".0"])
def test_a_number_that_overflows_is_a_fault(digits):
    value, fault = only(f"[0, {digits}]")
    word = "-Infinity" if digits.startswith("-") else "Infinity"
    assert value == [0, float(word)]
    shown = digits if len(digits) < 41 else digits[:37] + "..."
    found = f"{shown}, which is read as {word}"
    assert fault == ("json/number-range", (1,), "a number that fits into 64 bits", found, None)


@pytest.mark.parametrize("digits", [401, 4300, 5000, 10**6])
@pytest.mark.parametrize("sign", ["", "-"])
def test_an_integer_of_too_many_digits_is_never_made(digits, sign):
    value, fault = only(f'{{"a": {sign}{"9" * digits}}}')
    assert value == {"a": None}
    assert fault == (
        "json/integer-digits",
        ("a",),
        "an integer of at most 400 digits",
        f"an integer of {digits}",
        None,
    )


@pytest.mark.parametrize("number", [10**400 - 1, -(10**400) + 1, 2**64 - 1, 2**53 + 1])
def test_large_integers_are_exact(number):
    assert well_read(f"[{number}]") == [number]
    assert well_read(f"{number}") == number
    assert type(well_read(f"{number}")) is int


def test_the_limit_on_digits_is_what_the_caller_says():
    assert well_read("[999]", limits=Limits(integer_digits=3)) == [999]
    assert only("1000", limits=Limits(integer_digits=3))[1][0] == "json/integer-digits"
    assert only("9" * 4301, limits=Limits(integer_digits=10**6))[1][2] == (
        f"an integer of at most {sys.get_int_max_str_digits()} digits"
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_to_the_last_bit(number):
    made = well_read(repr(number))
    assert repr(made) == repr(number)


# -- encodings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ['\ufeff{"a": 1}', b'\xef\xbb\xbf{"a": 1}'])
def test_a_byte_order_mark_is_skipped_with_a_fault(source):
    value, fault = only(source)
    assert value == {"a": 1}
    assert fault == ("json/bom", (), "no byte order mark", "one", "write the text without it")


@pytest.mark.parametrize("source", ["{}", "[1]", "1", '{"é": 1}'])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_named(source, encoding):
    value, fault = only(source.encode(encoding))
    assert value is None
    name = encoding[:6].upper()
    assert fault == ("json/encoding", (), "text in UTF-8", f"text in {name}", "write it as UTF-8")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (b'{\n "t": "\xc3\xa9\xff"}', "the byte 0xff at line 2, column 9"),
        (b'"\xed\xa0\x80"', "the byte 0xed at line 1, column 2"),
        (b'"\xc3', "the byte 0xc3 at line 1, column 2"),
    ],
)
def test_a_byte_that_is_not_utf_8_is_located(source, found):
    assert located(source) == (None, ("json/encoding", (), "text in UTF-8", found, None))


@pytest.mark.parametrize("source", ['{"a": ["x\\ud800"]}', '{"a": ["x\ud800"]}'])
def test_half_a_character_is_spelled_out_with_a_fault(source):
    value, fault = only(source)
    assert value == {"a": ["x\\ud800"]}
    expected = ("json/surrogate", ("a", 0), "text without lone surrogates", "\\ud800 at character 1", None)
    assert fault == expected


def test_half_a_character_in_a_name_is_located_by_the_name_as_it_is_read():
    value, fault = only('{"\\udc00": {"b": 1}}')
    assert value == {"\\udc00": {"b": 1}}
    assert fault[:2] == ("json/surrogate", ("\\udc00",))
    assert locate('{"\\udc00": {"b": 1}}', "/\\udc00/b") == (1, 18)


def test_the_two_halves_of_a_character_are_one():
    assert well_read('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ('{"a": NaN,\n "b": [1, 1e400]}', [(1, 7), (2, 11)]),
        ('{"a": "\\ud800", "\\udc00": 1}', [(1, 7), (1, 17)]),
        ("[" + "1" * 401 + ', {"a": 1,\n"a": 2}]', [(1, 2), (2, 1)]),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", [(1, 134)]),
    ],
)  # fmt: skip
def test_every_fault_of_a_text_knows_where_it_stands(source, places):
    for text in (source, source.encode()):
        read_json(text, faults := [])
        assert [fault.place for fault in faults] == places


# -- syntax ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected", "found", "fix"),
    [
        ("", "a JSON value", "the end of the text at line 1, column 1", None),
        (" \n ", "a JSON value", "the end of the text at line 2, column 2", None),
        ("[1,\n 2,]", "a value", '"]" after a comma at line 2, column 4', "remove the comma"),
        ('{"a": 1,}', "a name in double quotes", '"}" after a comma at line 1, column 9', "remove the comma"),
        ("[,]", 'a value or "]"', '"," at line 1, column 2', None),
        ("[1}", '"," or "]"', '"}" at line 1, column 3', None),
        ("{]", 'a name in double quotes or "}"', '"]" at line 1, column 2', None),
        ("{'a': 1}", 'a name in double quotes or "}"', '"\'" at line 1, column 2', None),
        ('{"a": 1, b: 2}', "a name in double quotes", '"b" at line 1, column 10', None),
        ('{"a" 1}', '":"', '"1" at line 1, column 6', None),
        ('{"a": }', "a value", '"}" at line 1, column 7', None),
        ('{"a": 1 "b": 2}', '"," or "}"', '"\\"" at line 1, column 9', None),
        ("{} {}", "the end of the text", '"{" at line 1, column 4', None),
        ("[1] // note", "the end of the text", '"/" at line 1, column 5', None),
        ('{"a": [1', '"," or "]"', "the end of the text at line 1, column 9", None),
        ('["ab\ncd"]', "a double quote that ends the text", "the control character \\u000a at line 1, column 5", None),
        ('["ab', "a double quote that ends the text", "the end of the text at line 1, column 5", None),
        ('["ab\\x"]', "an escape that JSON allows", '"\\\\x" at line 1, column 5', None),
        ('["\\u12g4"]', "an escape that JSON allows", '"\\\\u" at line 1, column 3', None),
        ("[01]", '"," or "]"', '"1" at line 1, column 3', None),
        ("[1.]", '"," or "]"', '"." at line 1, column 3', None),
        ("+1", "a JSON value", '"+" at line 1, column 1', None),
        ("nul", "a JSON value", '"n" at line 1, column 1', None),
        ("\xa01", "a JSON value", '"\\u00a0" at line 1, column 1', None),
        ("[é]", 'a value or "]"', '"é" at line 1, column 2', None),
    ],
)  # fmt: skip
def test_a_syntax_error_is_one_fault_with_line_and_column(source, expected, found, fix):
    value, fault = located(source)
    assert value is None
    assert fault == ("json/syntax", (), expected, found, fix)
    assert located(source.encode()) == (None, fault)


def test_a_text_with_a_syntax_error_has_no_other_fault():
    assert only('\ufeff{"a": NaN, "a": 1e400')[1][0] == "json/syntax"


def test_all_other_faults_are_reported_in_their_order():
    faults = []
    value = read_json('\ufeff{"a": NaN, "b": 1e400, "a": "\\ud800", "c": [' + "1" * 401 + "]}", faults)
    assert value == {"a": "\\ud800", "b": math.inf, "c": [None]}
    assert [(f.rule.code, pointer_of(f.path)) for f in faults] == [
        ("json/bom", ""),
        ("json/not-finite", "/a"),
        ("json/number-range", "/b"),
        ("json/duplicate-key", "/a"),
        ("json/surrogate", "/a"),
        ("json/integer-digits", "/c/0"),
    ]


@pytest.mark.parametrize(
    ("code", "levels"),
    [
        ("json/duplicate-key", ("warning", "error", "error")),
        ("json/not-finite", ("warning", "error", "error")),
        ("json/bom", ("warning", "error", "error")),
        ("json/surrogate", ("warning", "error", "error")),
        ("json/number-range", ("warning", "error", "error")),
        ("json/integer-digits", ("error", "error", "error")),
        ("json/encoding", ("error", "error", "error")),
        ("json/syntax", ("error", "error", "error")),
        ("json/depth", ("error", "error", "error")),
        ("json/size", ("error", "error", "error")),
    ],
)
def test_the_severity_of_each_rule(code, levels):
    from zom.problems import rules

    made = rules()[code]
    assert (made.lenient, made.strict, made.closed) == levels


def test_faults_without_end_are_counted_after_a_thousand_of_each_kind():
    faults = []
    value = read_json('{"a": [' + "NaN, " * 2500 + '1e400], "b": 0, "b": 1}', faults)
    assert value["a"] == [math.nan] * 2500 + [math.inf]
    assert len(faults) == 1003
    assert [f.rule.code for f in faults[-3:]] == [
        "json/number-range",
        "json/duplicate-key",
        "json/not-finite",
    ]
    assert faults[-1][1:5] == ((), "no more of them", "1500 more", None)


# -- limits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ['"aaaaaaaa"', b'"aaaaaaaa"', '"\u20ac\u20ac\xe9"'])
def test_a_text_longer_than_the_limit_is_not_read(source):
    assert well_read(source, limits=Limits(text_bytes=10))
    assert only(source, limits=Limits(text_bytes=9)) == (
        None,
        ("json/size", (), "at most 9 bytes", "10 bytes", None),
    )


def nested(depth, inner="1"):
    return "[" * depth + inner + "]" * depth


@pytest.mark.parametrize("limit", [1, 7, 128, 190, 500])
def test_values_nest_as_deep_as_the_limit_and_no_deeper(limit):
    assert write_json(well_read(nested(limit), limits=Limits(value_depth=limit))) == nested(limit)
    value, fault = only(nested(limit + 1), limits=Limits(value_depth=limit))
    assert write_json(value) == nested(limit, "null")
    expected = f"values nested at most {limit} deep"
    assert fault == ("json/depth", (0,) * limit, expected, "deeper nesting", None)


def test_what_is_too_deep_is_skipped_and_the_rest_is_read():
    source = '{"a": ' + nested(200, '{"x": NaN, "x": 1}') + ', "b": 2}'
    value, fault = only(source)
    assert value["b"] == 2
    assert fault[:2] == ("json/depth", ("a", *[0] * 127))


@pytest.mark.slow
def test_brackets_without_end_are_a_syntax_error_and_cost_little():
    for source in ("[" * 10**6, '{"a":' * 10**6):
        assert only(source)[1][0] == "json/syntax"


def chain(groups, inner="{}"):
    return '{"members":{"g":' * (groups - 1) + inner + "}}" * (groups - 1)


@pytest.mark.parametrize("groups", [2, 50, 99, 100, 101, 1500, 4096])
def test_groups_nest_deeper_than_values(groups):
    value = well_read(chain(groups, '{"zarr_format":3}'))
    for _ in range(groups - 1):
        assert type(value) is type(value["members"]) is JSONDict
        value = value["members"]["g"]
    assert value == {"zarr_format": 3}


@pytest.mark.parametrize("limit", [1, 3, 60, 1000])
def test_groups_nest_as_deep_as_the_limit_and_no_deeper(limit):
    well_read(chain(limit), limits=Limits(tree_depth=limit))
    value, fault = only(chain(limit + 1), limits=Limits(tree_depth=limit))
    assert write_json(value) == chain(limit + 1, "null")
    expected = f"groups nested at most {limit} deep"
    assert fault == ("json/depth", ("members", "g") * limit, expected, "deeper nesting", None)


@pytest.mark.parametrize("groups", [1, 3, 40, 600])
def test_depth_is_counted_from_the_nearest_node(groups):
    deepest = '{"attributes":' + nested(127) + "}"
    well_read(chain(groups, deepest))
    _, fault = only(chain(groups, deepest.replace("1", "[1]")))
    assert fault[:2] == ("json/depth", ("members", "g") * (groups - 1) + ("attributes", *[0] * 127))


@pytest.mark.parametrize(
    "source",
    [
        '{"attributes":{"members":{"g":' + nested(126) + "}}}",
        '[{"members":{"g":' + nested(126) + "}}]",
        '{"members":[' + nested(127) + "]}",
        '{"members":{"g":' + nested(127) + "}}",
        '{"members":{"members":{"a":' + nested(128) + "}}}",
    ],
)
def test_only_members_of_nodes_are_nodes(source):
    assert only(source)[1][0] == "json/depth"


def test_the_limits_hold_alike_on_both_ways_of_reading():
    for value_depth in range(1, 6):
        for tree_depth in range(1, 4):
            limits = Limits(value_depth=value_depth, tree_depth=tree_depth)
            for groups in range(1, 5):
                for depth in range(6):
                    source = chain(groups, '{"a":' + nested(depth) + "}")
                    quick, slow = [], []
                    assert read_json(source, quick, limits=limits) == scan(source, slow, limits)
                    assert quick == slow


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda n: '"' + "\\n" * n,
        lambda n: '"' + "a" * n,
        lambda n: "[" * n,
        lambda n: " " * n,
        lambda n: "[" + "1," * n,
        lambda n: "{" + '"a":NaN,' * n + '"b":0}',
        lambda n: "[" + "9" * n + ".e]",
        lambda n: '{"":' * n,
    ],
)
def test_careful_reading_takes_time_in_proportion_to_the_text(make):
    size = 5_000
    small = min(seconds(lambda: scanned(make(size))) for _ in range(3))
    large = min(seconds(lambda: scanned(make(16 * size))) for _ in range(2))
    assert large < 80 * small + 0.05  # a quadratic scanner needs 256 times as long


# -- places ------------------------------------------------------------------------------------------

DOCUMENT = """{
  "shape": [10,
    -3],
  "codecs": [{"name": "gzip", "configuration": {"level": 1}}],
  "a/b": {"m~n": "é", "": null}, "x": 1
}
"""


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/shape", (2, 12)),
        ("/shape/0", (2, 13)),
        ("/shape/1", (3, 5)),
        ("/codecs/0/configuration/level", (4, 58)),
        ("/a~1b/m~0n", (5, 18)),
        ("/a~1b/", (5, 27)),
        ("/x", (5, 39)),
        ("/shape/2", (2, 12)),
        ("/shape/00", (2, 12)),
        ("/missing", (1, 1)),
        ("/codecs/0/configuration/no/such", (4, 48)),
        ("/x/y", (5, 39)),
        ("shape", None),
    ],
)
def test_a_pointer_is_located_by_line_and_column(pointer, place):
    assert locate(DOCUMENT, pointer) == place
    assert locate(DOCUMENT.encode(), pointer) == place


def test_many_pointers_are_located_in_one_walk():
    pointers = ["/x", "/shape/1", "", "nonsense", "/a~1b/m~0n"]
    assert locate_all(DOCUMENT, pointers) == {pointer: locate(DOCUMENT, pointer) for pointer in pointers}


@pytest.mark.parametrize("source", ["", "{", b"\xff", "{}".encode("utf-16")])
def test_there_are_no_places_in_what_is_not_json(source):
    assert locate(source, "") is None


def test_the_last_value_of_a_name_is_located():
    source = '{"a": {"b": 1}, "a": {"c": 2}}'
    assert locate(source, "/a") == (1, 22)
    assert locate(source, "/a/c") == (1, 28)
    assert locate(source, "/a/b") == (1, 22)


def test_a_byte_order_mark_moves_nothing():
    assert locate('\ufeff{"a": NaN}', "/a") == (1, 7)


@given(values, st.sampled_from([None, 1]), st.data())
def test_the_place_of_a_value_is_where_its_text_starts(value, indent, data):
    path = []
    inner = value
    while isinstance(inner, (dict, list)) and inner and data.draw(st.booleans()):
        step = data.draw(st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner))))
        path.append(step)
        inner = inner[step]
    source = json.dumps(value, indent=indent)
    line, column = locate(source, pointer_of(path))
    rest = "\n".join(source.split("\n")[line - 1 :])[column - 1 :]
    assert json.JSONDecoder().raw_decode(rest)[0] == inner


# -- what is written ---------------------------------------------------------------------------------


@given(values, st.sampled_from([None, 0, 1, 2, 4]))
def test_a_value_is_written_as_the_standard_library_writes_it(value, indent):
    separators = (",", ":") if indent is None else None
    expected = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    assert write_json(value, indent=indent) == expected
    assert write_json(freeze(value, []), indent=indent) == expected


@given(values, st.sampled_from([None, 2]))
def test_what_is_written_reads_back_the_same(value, indent):
    made = well_read(write_json(value, indent=indent))
    assert same(made, value)
    assert write_json(made, indent=indent) == write_json(value, indent=indent)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ([1e16, 1e-7, 1e22, 1.5, -0.0, 5e-324, 0.0001, 1e-5], "[1e+16,1e-07,1e+22,1.5,-0.0,5e-324,0.0001,1e-05]"),
        ({"z": 1, "a": 2}, '{"z":1,"a":2}'),
        (["é\u2028\x7f", '\x01\n"\\/'], '["é\u2028\x7f","\\u0001\\n\\"\\\\/"]'),
        (2**64 + 1, "18446744073709551617"),
        ((1, (True, None)), "[1,[true,null]]"),
        (np.arange(3), "[0,1,2]"),
        ({"a": np.float64(0.5), "b": np.int8(3)}, '{"a":0.5,"b":3}'),
    ],
    ids=repr,
)  # fmt: skip
def test_how_values_are_written(value, written):
    assert write_json(value) == written


def refused(value, **options):
    with pytest.raises(SpecError) as caught:
        write_json(value, **options)
    return [(p.code, p.pointer, p.expected, p.found) for p in caught.value.problems], str(caught.value)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("kind", [dict, JSONDict])
def test_numbers_that_are_not_finite_are_written_as_the_standard_library_writes_them(indent, kind):
    value = kind(a=[1.0, math.nan], b=-math.inf, c=[[math.inf]], d="NaN")
    separators = (",", ":") if indent is None else (",", ": ")
    assert write_json(value, indent=indent) == json.dumps(value, indent=indent, separators=separators)
    deep = value
    for _ in range(300):
        deep = [deep]
    assert json.dumps(value, separators=(",", ":")) in write_json(deep)


@pytest.mark.parametrize("kind", [dict, JSONDict])
def test_what_is_not_json_is_not_written(kind):
    problems, _ = refused(kind({"a": {1}, "b": JSONList(["\ud800"])}))
    assert ("json/not-json", "/a", "a JSON value", "a Python set") in problems


def test_names_that_are_not_strings_are_not_written():
    assert refused({"a": {1: 2}})[0] == [("json/not-json", "/a", "names that are strings", "the int 1")]


def test_half_a_character_is_not_written():
    assert refused({"\ud800": "\udfff"})[0] == [
        ("json/surrogate", "/\\ud800", "text without lone surrogates", "\\ud800 at character 0"),
        ("json/surrogate", "/\\ud800", "text without lone surrogates", "\\udfff at character 0"),
    ]


def test_an_integer_that_python_does_not_write_is_refused():
    assert refused([1 << 20_000])[0] == [
        ("json/integer-digits", "/0", "an integer of at most 400 digits", "an integer of 20001 bits")
    ]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("kind", [dict, JSONDict])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_integer_is_written_where_it_is_read_again(indent, kind, sign):
    longest = sign * (10**400 - 1)
    text = write_json(kind({"a": longest, "text": "9" * 500}), indent=indent)
    assert well_read(text) == {"a": longest, "text": "9" * 500}
    assert refused(kind({"a": longest + sign, "text": "9" * 500}), indent=indent)[0] == [
        ("json/integer-digits", "/a", "an integer of at most 400 digits", "an integer of 1329 bits")
    ]


def test_a_value_that_contains_itself_is_refused():
    value = []
    value.append({"a": value})
    assert refused(value)[0] == [("json/not-json", "/0/a", "a JSON value", "a value that contains itself")]
    deep = value
    for _ in range(200):
        deep = [deep]
    assert refused(deep)[0] == [
        ("json/not-json", "/0" * 201 + "/a", "a JSON value", "a value that contains itself")
    ]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_tree_of_any_depth_is_written_and_read(indent):
    tree = {"fill_value": 1e-7, "s": [np.float32(0.5), {}, []]}
    for index in range(2500):
        tree = {"zarr_format": 3, "members": {"a": tree, "é": index}}
    written = write_json(tree, indent=indent)
    made = well_read(written)
    assert write_json(made, indent=indent) == written
    for _ in range(2500):
        made = made["members"]["a"]
    assert made == {"fill_value": 1e-7, "s": [0.5, {}, []]}


def test_faults_deep_in_a_value_are_all_found():
    value = [math.nan, {"x": {2: 3}}]
    for _ in range(300):
        value = [value]
    assert [problem[0] for problem in refused(value)[0]] == ["json/not-json"]


def test_a_deep_value_is_written_as_the_standard_library_writes_it():
    value = {"a": [1.5, {"b": []}, {}, "x"]}
    for _ in range(140):
        value = [value, 2]
    assert write_json(value, indent=3) == json.dumps(value, indent=3)
    assert write_json(value) == json.dumps(value, separators=(",", ":"))
