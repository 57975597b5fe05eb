"""Every codec and data type of the registries writes and reads a chunk; docs/codecs.md says so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import zom.codecs
import zom.dtypes  # noqa: F401 - registers the types
from zom.extension.codec import codecs
from zom.extension.datatype import data_types

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from runs import codec_runs, type_runs  # isort: skip


@pytest.mark.parametrize("name", [codec.name for codec in codecs if codec.__module__.startswith("zom.")])
def test_every_codec_runs_but_pickle(name):
    assert codec_runs(codecs[name]) == (name != "numcodecs.pickle")


@pytest.mark.parametrize("made", [made for family in data_types for made in family.examples()], ids=repr)
def test_every_data_type_runs(made):
    assert type_runs(made)
