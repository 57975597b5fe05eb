"""What a store can do, as data: callers choose their way by it, and the store suite its tests."""

from __future__ import annotations

from zom.dataclass import dataclass

__all__ = ["Capabilities"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a store can do, as data.

    >>> Capabilities(listable=False).listable
    False
    """

    writable: bool = True
    listable: bool = True
    atomic_replace: bool = True
    """A reader sees the old value or the new one, whatever happens to the writer."""
    create_if_absent: bool = False
    """Of several creators of one key, in any process, exactly one succeeds."""
    compare_and_set: bool = False
    """A value is replaced only where it is still the one that was read, among all who use `replace`."""
    durable: bool = False
    """What was written survives a loss of power."""
    rename: bool = False
    """A whole prefix moves in one step."""
    move: bool = False
    """One key takes the place of another in one step, and no room is needed for a copy."""
    nested_keys: bool = True
    """A key may lie below another, as `a/b` below `a`: files can't."""
    parallel: int = 1
    """How many requests of one `get_many` the store works on at once; 1 where it answers in turn."""
    process_locks: bool = False
    """`lock` keeps out other processes, too, and those who `set` without it."""
    lock_holds_all: bool = False
    """While a lock is held, other threads wait with all they do, whatever the key."""
    transactional: bool = False
    """Nobody else sees what is written before the owner commits it: a change needs no journal and no marks."""
    merges: bool = False
    """What is written into a copy that another process has can be taken over: `absorb`."""
    zarr_keys: bool = False
    """Only keys of Zarr v3 are held, and checked: the document of an array comes before its chunks."""
