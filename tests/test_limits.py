"""Limits: values with defaults that nobody can change for others."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from zom.limits import DEFAULT_LIMITS, Limits


def test_the_defaults_are_those_of_the_class():
    assert Limits() == DEFAULT_LIMITS


def test_limits_cannot_change():
    with pytest.raises(FrozenInstanceError):
        DEFAULT_LIMITS.rank = 3


def test_every_limit_is_a_positive_integer():
    assert all(getattr(DEFAULT_LIMITS, field.name) > 0 for field in fields(Limits))


def test_numpy_holds_as_many_dimensions_as_the_limit_says():
    rank = DEFAULT_LIMITS.rank
    assert np.empty((1,) * rank).ndim == rank
    with pytest.raises(ValueError, match="64"):
        np.empty((1,) * (rank + 1))
