from __future__ import annotations

import numpy as np
import pytest

import zom.dtypes  # noqa: F401
from zom.errors import SpecError
from zom.extension.resolve import data_type


def judged(value, form):
    faults = []
    return data_type("bool").parse_fill(value, form, faults, ("fill_value",)), faults


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_a_literal_is_read(form):
    assert judged(True, form) == (np.True_, [])
    assert judged(False, form) == (np.False_, [])


def test_v2_reads_0_and_1():
    assert judged(0, "v2") == (np.False_, [])
    assert judged(1, "v2") == (np.True_, [])


@pytest.mark.parametrize("form", ["v3", "draft"])
@pytest.mark.parametrize("value", [0, 1])
def test_elsewhere_0_and_1_are_read_with_a_warning(value, form):
    found, (fault,) = judged(value, form)
    assert found == bool(value)
    assert (fault.rule.code, fault.rule.lenient) == ("fill-value/number-for-bool", "warning")
    assert (fault.rule.strict, fault.fix) == ("error", f"write {str(bool(value)).lower()}")


@pytest.mark.parametrize(
    ("value", "form"),
    [(2, "v3"), (-1, "draft"), (2, "v2"), (1.0, "v2"), ("true", "v3"), ("0x02", "draft")],
)
def test_what_is_no_literal_is_refused(value, form):
    found, (fault,) = judged(value, form)
    assert found is None
    code = "json/integer-literal" if isinstance(value, float) else "fill-value/type"
    assert (fault.rule.code, fault.expected) == (code, "true or false")


def test_the_draft_reads_a_pattern():
    assert judged("0x01", "draft") == (np.True_, [])
    assert judged("0b00000000", "draft") == (np.False_, [])


@pytest.mark.parametrize("value", [1, "true", None])
def test_casting_refuses_what_is_no_bool(value):
    with pytest.raises(SpecError, match="a value of type bool: expected True or False, found"):
        data_type("bool").cast(value)
