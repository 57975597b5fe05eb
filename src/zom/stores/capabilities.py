"""Capabilities of a store, as data: callers adapt to them, and the store suite selects its tests."""

from __future__ import annotations

from zom.dataclass import dataclass

__all__ = ["Capabilities"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of a store.

    >>> Capabilities(listable=False).listable
    False
    """

    writable: bool = True
    listable: bool = True
    atomic_replace: bool = True
    """A reader sees either the old value or the new one, even if the writer fails."""
    create_if_absent: bool = False
    """Of several creators of one key, in any process, exactly one succeeds."""
    compare_and_set: bool = False
    """Among all users of `replace`, a value is replaced only if it is still the one that was read."""
    durable: bool = False
    """Written data survives a power cut."""
    rename: bool = False
    """A whole prefix moves in one step."""
    move: bool = False
    """One key replaces another in one step, without space for a copy."""
    nested_keys: bool = True
    """A key may be below another one, such as `a/b` below `a`; file systems can't do this."""
    parallel: int = 1
    """Number of requests of one `get_many` that the store serves at once; 1 if one after the other."""
    process_locks: bool = False
    """`lock` also excludes other processes, and those that `set` without it."""
    lock_holds_all: bool = False
    """While a lock is held, all operations of other threads wait, for any key."""
    transactional: bool = False
    """Writes are invisible to others until the owner commits: a change needs no journal and no marks."""
    merges: bool = False
    """`absorb` can merge the changes of a copy in another process."""
    zarr_keys: bool = False
    """Only valid keys of Zarr v3 are accepted: write the document of an array before its chunks."""
