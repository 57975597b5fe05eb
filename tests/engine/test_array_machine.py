"""Arrays against numpy's: every format, any order of reads and writes, resizes and appends.

ZOM_EXAMPLES is how many arrays hypothesis makes; each lives through some tens of steps.
"""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numpy_keys import (
    block_get,
    block_keys,
    block_set,
    numpy_get,
    numpy_keys,
    numpy_set,
    outer_get,
    outer_keys,
    outer_set,
    point_keys,
    values_for,
    vectorized_get,
    vectorized_set,
)
from random_arrays import ENTRY_2021, is_2021, same, specs, values

import zom
from zom.errors import SelectionError
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

EXAMPLES = int(os.environ.get("ZOM_EXAMPLES", "100"))
SEEDS = st.integers(0, 2**16)
KINDS = st.sampled_from(["basic", "basic", "numpy", "points", "oindex", "vindex", "blocks"])
OPTIONS = st.fixed_dictionaries(
    {"threads": st.sampled_from([None, 1, 2, 4]), "write_empty_chunks": st.booleans()}
)


def keys(kind, shape, array):
    """Keys of a kind for an array of the shape."""
    return {
        "basic": lambda: numpy_keys(shape, arrays=0),
        "numpy": lambda: numpy_keys(shape),
        "points": lambda: point_keys(shape) if len(shape) > 1 and 0 not in shape else numpy_keys(shape),
        "oindex": lambda: outer_keys(shape),
        "vindex": lambda: numpy_keys(shape),
        "blocks": lambda: block_keys([axis.count for axis in array.plan.axes]),
    }[kind]()


def indexer(array, kind):
    return getattr(array, kind) if kind in {"oindex", "vindex", "blocks"} else array


def reference(kind, array):
    """How numpy's arrays are read and written with keys of a kind."""
    axes = array.plan.axes
    return {
        "oindex": (outer_get, outer_set),
        "vindex": (vectorized_get, vectorized_set),
        "blocks": (partial(block_get, axes=axes), partial(block_set, axes=axes)),
    }.get(kind, (numpy_get, numpy_set))


def numbers(model, key):
    """The numbers of the elements that a key without repetitions means."""
    return numpy_get(np.arange(model.size).reshape(model.shape), key)


class ArrayMachine(RuleBasedStateMachine):
    """An array, and the numpy array that it must agree with."""

    @initialize(spec=specs(), options=OPTIONS, seed=SEEDS)
    def create(self, spec, options, seed):
        self.store = LoggedStore(MemoryStore({"zarr.json": ENTRY_2021} if is_2021(spec) else None))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.array = zom.create_array(self.store, spec, "x").with_options(**options)
        self.model = self.filled(self.array.shape)
        # Mostly full at first: in an array of fill values little can go wrong.
        if seed % 4:
            self.model[...] = values(seed, self.model.dtype, self.model.shape, self.array.plan.fill)
            self.array[...] = self.model

    def filled(self, shape):
        made = np.empty(shape, self.array.dtype)
        made[...] = self.array.plan.fill
        return made

    @contextmanager
    def untouched(self, *, empty):
        before = len(self.store.log.calls)
        yield
        if empty:
            # Only a look at the documents: somebody may have cut the array.
            assert {call.verb for call in self.store.log.calls[before:]} <= {"read", "read_version"}

    @rule(data=st.data(), kind=KINDS, into=st.booleans())
    def read(self, data, kind, into):
        key = data.draw(keys(kind, self.model.shape, self.array))
        get, _ = reference(kind, self.array)
        try:
            wanted = get(self.model, key)
        except IndexError:
            with pytest.raises(SelectionError), self.untouched(empty=True):
                indexer(self.array, kind)[key]
            return
        with self.untouched(empty=not wanted.size):
            if into and kind != "blocks":
                out = np.empty(wanted.shape[::-1], wanted.dtype).T
                assert indexer(self.array, kind).read(key, out=out) is out
                assert same(out, wanted)
            else:
                assert same(indexer(self.array, kind)[key], wanted)

    @rule(data=st.data(), kind=KINDS, seed=SEEDS)
    def write(self, data, kind, seed):
        key = data.draw(keys(kind, self.model.shape, self.array))
        get, put = reference(kind, self.array)
        try:
            place = get(self.model, key)
        except IndexError:
            with pytest.raises(SelectionError), self.untouched(empty=True):
                indexer(self.array, kind)[key] = 0
            return
        form = data.draw(values_for(place.shape)).shape
        given = values(seed, self.model.dtype, form, self.array.plan.fill)
        changed = self.model.copy()
        try:
            put(changed, key, given)
        except ValueError:
            with pytest.raises(SelectionError), self.untouched(empty=True):
                indexer(self.array, kind)[key] = given
            return
        with self.untouched(empty=not place.size):
            indexer(self.array, kind)[key] = given
        self.model = changed

    @rule(data=st.data(), seed=SEEDS)
    @precondition(lambda self: self.model.dtype.names is not None)
    def read_and_write_a_field(self, data, seed):
        key = data.draw(numpy_keys(self.model.shape, arrays=0))
        parts = key if isinstance(key, tuple) else (key,)
        name = data.draw(st.sampled_from(self.model.dtype.names))
        try:
            wanted = numpy_get(self.model, parts)[name]
        except IndexError:
            with pytest.raises(SelectionError):
                self.array[(name, *parts)]
            return
        inner = self.model.dtype[name].shape
        shape = wanted.shape[: wanted.ndim - len(inner)]
        assert same(self.array[(name, *parts)], wanted)
        given = values(seed, self.model.dtype, shape, self.array.plan.fill)[name]
        self.array[(name, *parts)] = given
        self.model.reshape(-1)[name][numbers(self.model, parts)] = given

    @rule(data=st.data(), seed=SEEDS)
    @precondition(lambda self: self.model.dtype.names is not None)
    def read_and_write_fields(self, data, seed):
        key = data.draw(numpy_keys(self.model.shape, arrays=0))
        parts = key if isinstance(key, tuple) else (key,)
        names = data.draw(st.permutations(self.model.dtype.names))[: data.draw(st.integers(1, 2))]
        try:
            wanted = np.asarray(self.model[(*parts,)])
        except IndexError:
            return
        found = np.asarray(self.array[(names, *parts)])
        assert found.dtype.names == tuple(names)
        assert all(same(found[name].copy(), wanted[name].copy()) for name in names)
        given = values(seed, self.model.dtype, wanted.shape, self.array.plan.fill)[names]
        self.array[(names, *parts)] = given
        place = numbers(self.model, parts)
        for name in names:
            self.model.reshape(-1)[name][place] = given[name]

    @rule(data=st.data(), again=st.booleans())
    def resize(self, data, again):
        # Ends in the middle of chunks are what matters, along several dimensions at once.
        near = st.integers(-3, 3) | st.integers(-12, 5)
        shape = self.model.shape
        self.resize_to(tuple(min(12, max(0, length + data.draw(near))) for length in shape))
        if again:
            self.resize_to(tuple(map(max, shape, self.model.shape)))

    def resize_to(self, shape):
        self.array.resize(shape)
        made = self.filled(shape)
        both = tuple(slice(0, min(pair)) for pair in zip(shape, self.model.shape, strict=True))
        made[(*both, ...)] = self.model[(*both, ...)]
        self.model = made

    @rule(data=st.data(), seed=SEEDS)
    def append(self, data, seed):
        assume(self.model.ndim)
        axis = data.draw(st.integers(0, self.model.ndim - 1))
        count = data.draw(st.integers(0, 4))
        assume(self.model.shape[axis] + count <= 12)
        shape = tuple(count if place == axis else n for place, n in enumerate(self.model.shape))
        given = values(seed, self.model.dtype, shape, self.array.plan.fill)
        wanted = np.concatenate([self.model, given], axis=axis).astype(self.model.dtype)
        assert self.array.append(given, axis=axis) == wanted.shape
        self.model = wanted

    @rule(options=OPTIONS)
    def open_again(self, options):
        self.array = zom.open_array(self.store, "x", mode="r+").with_options(**options)

    @invariant()
    def agrees(self):
        if hasattr(self, "model"):
            assert self.array.shape == self.model.shape
            assert same(self.array[...], self.model)


ArrayMachine.TestCase.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=15,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
TestArrays = pytest.mark.slow(
    pytest.mark.filterwarnings("ignore::zom.errors.SpecWarning")(ArrayMachine.TestCase)
)
