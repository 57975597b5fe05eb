"""Compare a store with a dict: any order of operations, with faults, on names chosen to collide.

After a failed operation, each key that it touched holds the old value or the new one.
"""
# ruff: noqa: S101, D102 - tests consist of assertions, and the names of rules say what they do

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from zom.errors import StoreError
from zom.stores.interface import ByteRange, Range, Store, Suffix, cut
from zom.testing.faulty import FaultyStore, Mishap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["StoreMachine", "check_as_dict"]

KEYS = ("a", "a/b", "a.b", "ab", "a/c/d", "b/b", "zarr.json")
PREFIXES = ("", "a/", "a/c/", "ab/", "b/")

_keys = st.sampled_from(KEYS)
_values = st.binary(max_size=20) | st.integers(1, 3).map(lambda count: bytes(range(256)) * 256 * count)
_lengths = st.integers(0, 30)
_ranges = st.one_of(
    st.none(),
    st.builds(Range, _lengths, st.none()),
    st.builds(Range, _lengths, _lengths),
    st.builds(Suffix, _lengths),
)
_mishaps: st.SearchStrategy[Mishap] = st.sampled_from(("fail", "fail after", "delay", "duplicate"))

Allowed = dict[str, set["bytes | None"]]


class StoreMachine(RuleBasedStateMachine):
    """Subclass it with a `store`; if that is a `FaultyStore`, operations are made to fail."""

    store: Store

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, bytes] = {}

    @initialize()
    def empty(self) -> None:
        self._calm()
        self.store.delete_prefix("")

    # --- faults ------------------------------------------------------------------------------------

    def _calm(self) -> None:
        if isinstance(self.store, FaultyStore):
            self.store.mishaps.clear()

    def _armed(self) -> bool:
        return isinstance(self.store, FaultyStore) and bool(self.store.mishaps)

    @rule(mishap=_mishaps, after=st.integers(0, 2))
    def something_goes_wrong_soon(self, mishap: Mishap, after: int) -> None:
        if isinstance(self.store, FaultyStore):
            self.store.next(mishap, after)

    def _in_the_way(self, key: str) -> bool:
        """Whether the store can't hold `key` beside its other keys."""
        if self.store.capabilities.nested_keys:
            return False
        return any(_nested(key, other) or _nested(other, key) for other in self.model)

    def _observe(self) -> dict[str, bytes | None]:
        """The value of every key; the store may refuse keys that it can't hold beside others."""
        found: dict[str, bytes | None] = {}
        refused: list[str] = []
        for key in KEYS:
            try:
                found[key] = self.store.get(key)
            except StoreError:
                found[key] = None
                refused.append(key)
        held = [key for key, value in found.items() if value is not None]
        for key in refused:
            clash = any(_nested(key, other) or _nested(other, key) for other in held)
            assert clash, f"{key!r} can't be read"
            assert not self.store.capabilities.nested_keys
        return found

    def _tried(self, act: Callable[[], Any], allowed: Allowed, *, may_fail: bool = False) -> Any:
        """The result of `act()`; None if it failed as planned."""
        armed = self._armed()
        try:
            result = act()
        except StoreError:
            assert armed or may_fail, "an operation failed without an injected fault"
            result, armed = None, True
        if armed:
            self._calm()
            for key, found in self._observe().items():
                expected = {self.model.get(key)} | allowed.get(key, set())
                assert found in expected, f"{key!r} has neither the old value nor the new one: {found!r}"
                self._keep(key, found)
            return None
        for key, values in allowed.items():
            (value,) = values
            self._keep(key, value)
        return result

    def _keep(self, key: str, value: bytes | None) -> None:
        if value is None:
            self.model.pop(key, None)
        else:
            self.model[key] = value

    # --- writing -----------------------------------------------------------------------------------

    @rule(key=_keys, value=_values)
    def set(self, key: str, value: bytes) -> None:
        self._tried(lambda: self.store.set(key, value), {key: {value}}, may_fail=self._in_the_way(key))

    @rule(items=st.lists(st.tuples(_keys, _values), max_size=4))
    def set_many(self, items: list[tuple[str, bytes]]) -> None:
        keys = {key for key, _ in items}
        clash = any(self._in_the_way(key) for key in keys)
        clash |= not self.store.capabilities.nested_keys and any(_nested(a, b) for a in keys for b in keys)
        allowed: Allowed = {}
        for key, value in items:
            # If one key has several values, any of them may be there after a failure.
            allowed[key] = {*allowed.get(key, set()), value} if clash or self._armed() else {value}
        self._tried(lambda: self.store.set_many(items), allowed, may_fail=clash)

    @rule(key=_keys, start=_lengths, value=st.binary(max_size=5))
    def set_partial(self, key: str, start: int, value: bytes) -> None:
        old = self.model.get(key, b"")
        gap = start > len(old)
        new = self.model.get(key) if gap else old[:start] + value + old[start + len(value) :]
        may_fail = gap or self._in_the_way(key)
        self._tried(lambda: self.store.set_partial(key, start, value), {key: {new}}, may_fail=may_fail)

    @rule(key=_keys, value=_values)
    def create(self, key: str, value: bytes) -> None:
        absent = key not in self.model
        allowed: Allowed = {key: {value}} if absent else {}
        made = self._tried(
            lambda: self.store.create(key, value), allowed, may_fail=self._in_the_way(key) and absent
        )
        assert made is None or made == absent

    @rule(key=_keys, value=_values, stale=st.booleans())
    def replace(self, key: str, value: bytes, stale: bool) -> None:  # noqa: FBT001 - hypothesis passes it
        if self._in_the_way(key):
            return
        self._calm()
        found = self.store.get_version(key)
        if stale:
            other = b"x" + (b"" if found is None else found.value)
            self.store.set(key, other)
            self.model[key] = other
        version = None if found is None else found.version
        done = self._tried(lambda: self.store.replace(key, value, version), {} if stale else {key: {value}})
        assert done is None or done != stale

    @rule(keys=st.lists(_keys, max_size=3))
    def delete(self, keys: list[str]) -> None:
        allowed: Allowed = {key: {None} for key in keys}
        may_fail = any(self._in_the_way(key) for key in keys)
        if len(keys) == 1:
            self._tried(lambda: self.store.delete(keys[0]), allowed, may_fail=may_fail)
        else:
            self._tried(lambda: self.store.delete_many(keys), allowed, may_fail=may_fail)

    @rule(prefix=st.sampled_from(PREFIXES))
    def delete_prefix(self, prefix: str) -> None:
        allowed: Allowed = {key: {None} for key in self.model if key.startswith(prefix)}
        self._tried(lambda: self.store.delete_prefix(prefix), allowed)

    @rule(old=st.sampled_from(("a/", "b/")), new=st.sampled_from(("a/", "ab/", "b/")))
    def rename(self, old: str, new: str) -> None:
        moved = {key: value for key, value in self.model.items() if key.startswith(old)}
        names = {key: new + key[len(old) :] for key in moved}
        if not set(names.values()) <= set(KEYS):
            return
        refused = old == new or not moved or any(key.startswith(new) for key in self.model)
        allowed: Allowed = {} if refused else {key: {None} for key in moved}
        if not refused:
            allowed |= {names[key]: {value} for key, value in moved.items()}
        may_fail = refused or any(self._in_the_way(name) for name in names.values())
        self._tried(lambda: self.store.rename(old, new), allowed, may_fail=may_fail)

    # --- reading -----------------------------------------------------------------------------------

    @rule(requests=st.lists(st.tuples(_keys, _ranges), max_size=4))
    def get_many(self, requests: list[tuple[str, ByteRange | None]]) -> None:
        if any(self._in_the_way(key) for key, _ in requests):
            return
        values = self._tried(lambda: self.store.get_many(requests), {})
        expected = [_part(self.model, key, byte_range) for key, byte_range in requests]
        assert values is None or values == expected

    @rule(key=_keys, byte_range=_ranges)
    def get(self, key: str, byte_range: ByteRange | None) -> None:
        self._calm()
        if not self._in_the_way(key):
            assert self.store.get(key, byte_range) == _part(self.model, key, byte_range)
            assert self.store.exists(key) == (key in self.model)

    @rule(prefix=st.sampled_from(PREFIXES))
    def list_dir(self, prefix: str) -> None:
        self._calm()
        below = [key[len(prefix) :] for key in self.model if key.startswith(prefix)]
        keys = sorted(prefix + name for name in below if "/" not in name)
        prefixes = sorted({f"{prefix}{name.partition('/')[0]}/" for name in below if "/" in name})
        assert self.store.list_dir(prefix) == (keys, prefixes)
        assert sorted(self.store.list(prefix)) == sorted(key for key in self.model if key.startswith(prefix))

    @invariant()
    def nothing_else_has_changed(self) -> None:
        if not self._armed():
            assert {key: self.store.get(key) for key in self.model} == self.model


def check_as_dict(store: Store, *, examples: int = 25, steps: int = 25) -> None:
    """Empty `store` and compare it with a dict; an assertion fails if they differ.

    >>> from zom.stores.memory import MemoryStore
    >>> check_as_dict(MemoryStore(), examples=2)
    """
    machine: Any = type("Machine", (StoreMachine,), {"store": store})
    machine.TestCase.settings = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=tuple(HealthCheck),  # type: ignore[arg-type,unused-ignore]
    )
    machine.TestCase().runTest()


def _nested(above: str, below: str) -> bool:
    return below.startswith(f"{above}/")


def _part(model: Mapping[str, bytes], key: str, byte_range: ByteRange | None) -> bytes | None:
    return cut(model[key], byte_range) if key in model else None
