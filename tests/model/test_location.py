from __future__ import annotations

import pytest

import zom


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (b"[1,\n 2,]", (2, 4), 'expected a value, found "]" after a comma (line 2, column 4); remove the comma'),
        (b'{"zarr_format": \xff}', (1, 17), "expected text in UTF-8, found the byte 0xff (line 1, column 17)"),
    ],
)  # fmt: skip
def test_the_fault_of_a_text_has_its_line_and_column_as_numbers(text, place, message):
    with pytest.raises(zom.SpecError) as caught:
        zom.parse(text)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == place
    assert str(problem).startswith(message)
    (same,) = zom.validate(text).problems
    assert (same.line, same.column, same.found) == (*place, problem.found)


def test_a_name_given_twice_is_located_where_it_is_given_again():
    text = '{"zarr_format": 2,\n "attributes": {"a": 1, "a": 2}}'
    (problem,) = zom.validate(text, level="lenient").problems
    assert (problem.code, problem.pointer) == ("json/duplicate-key", "/attributes/a")
    assert (problem.line, problem.column, problem.found) == (2, 25, '"a" again')


def test_a_fault_of_a_value_is_located_at_that_value_although_its_name_is_given_again():
    text = '{"zarr_format": 2,\n "attributes": {"a": NaN,\n "a": 2}}'
    found = zom.validate(text, level="lenient").problems
    assert [(each.code, each.line, each.column) for each in found] == [
        ("json/not-finite", 2, 22),
        ("json/duplicate-key", 3, 2),
    ]
