"""Every row of the pages on migrating runs: here the column of zom, in tests/interop/migrating.py both."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import rows

PLAIN = [row for page in rows.PAGES for row in rows.rows(page) if row.ours]


@pytest.mark.parametrize("row", PLAIN, ids=str)
@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
def test_the_column_of_zom_runs(row, tmp_path):
    names = rows.names(row.page, tmp_path)
    rows.run(row.ours, names)


@pytest.mark.parametrize("page", rows.PAGES)
def test_each_row_is_found_and_says_what_is_missing(page):
    found = rows.rows(page)
    assert len(found) > 40
    assert [str(row) for row in found if not row.ours and not row.note] == []


def test_a_row_that_fails_is_noticed(tmp_path):
    names = rows.names(rows.PAGES[0], tmp_path)
    with pytest.raises(NameError):
        rows.run("zom.read(nothing)", names)
    assert rows.run("x = 2; x + 1", names) == 3
    assert rows.run("x = 2", names) is None
