"""The missing directories that threads of this process are filling, and the one of each thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from zom.stores.interrupts import Uninterrupted
from zom.stores.local.files import LONG, give_back
from zom.stores.local.growing_tree import GrowingTree, NotWritten
from zom.stores.local.lock_files import is_lock_file
from zom.stores.local.staging import Missing
from zom.stores.locks import remake_in_children

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Filling", "GrowingTrees"]


class Filling:
    """The tree that a thread wrote to last."""

    __slots__ = ("tree",)

    def __init__(self) -> None:
        self.tree: GrowingTree | None = None


class GrowingTrees:
    """The trees of one store.

    `open_path` opens an existing directory. `place` moves one value to its key, for `GrowingTree.publish`.
    `published` gets the keys of trees that were renamed into place. `sync` writes bytes to disk at once.
    """

    def __init__(
        self,
        open_path: Callable[[str], int],
        place: Callable[[str, int, str], object],
        published: Callable[[Sequence[str]], None],
        *,
        sync: bool,
    ) -> None:
        self._open_path = open_path
        self._place = place
        self._published = published
        self._sync = sync
        self.failures = 0
        """Number of failed attempts to publish values."""
        self._failure: NotWritten | None = None
        self._trees: list[GrowingTree] = []
        self._guard = threading.Lock()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Leave the parent's directories to the parent."""
        for tree in self._trees:
            tree.abandon()
        self._trees = []
        self._guard = threading.Lock()

    def put(self, items: Sequence[tuple[str, bytes | memoryview[int]]], filling: Filling) -> int:
        """Write values in order as long as their directories are missing, and return how many."""
        done = 0
        while done < len(items):
            tree = self._tree_for(items[done][0], filling)
            if tree is None:
                break
            stop = done + 1
            while stop < len(items) and tree.holds(items[stop][0]):
                stop += 1
            done += tree.put(items[done:stop])
            if done < stop:
                self._publish(tree)
                break
        return done

    def _tree_for(self, key: str, filling: Filling) -> GrowingTree | None:
        """Return the tree for `key`, and leave the previous tree if it is another one."""
        tree = filling.tree
        if tree is not None and tree.is_full:
            self._publish(tree)
        if tree is None or not tree.is_open or not tree.holds(key):
            self.leave(filling)
            tree = filling.tree = self._tree_of(key)
        return tree

    def _tree_of(self, key: str) -> GrowingTree | None:
        """Return the tree for a missing directory of `key`; None if it exists or can't be staged."""
        path, _, name = key.rpartition("/")
        if len(key) >= LONG or is_lock_file(name):
            return None
        with self._guard:
            for tree in self._trees:
                if tree.is_open and tree.holds(key):
                    tree.users += 1
                    return tree
            made = self._new_tree(path)
            if made is not None:
                self._trees.append(made)
            return made

    def _new_tree(self, path: str) -> GrowingTree | None:
        missing = Missing(self._open_path)
        try:
            top = missing.top_of(path)
        finally:
            missing.close()
        if top is None:
            return None
        parent = -1
        try:
            parent = self._open_path(top.rpartition("/")[0])
            return GrowingTree(top, parent, self._published, sync=self._sync)
        except OSError:  # a direct write reports the error
            give_back(parent)
            return None

    def leave(self, filling: Filling) -> None:
        """Leave the tree that a thread filled last; publish it if no other thread uses it."""
        tree, filling.tree = filling.tree, None
        if tree is not None:
            with self._guard:
                tree.users -= 1
            if tree.is_open and not tree.users:
                self._publish(tree)

    def publish(self, which: Callable[[GrowingTree], bool] = lambda _: True) -> None:
        """Publish the trees that `which` selects, so that the next operation sees their values.

        It doesn't wait for a tree that another thread publishes: that thread may wait for a lock of this one.
        """
        if self._trees:
            with Uninterrupted():
                for tree in list(self._trees):
                    if tree.is_open and which(tree):
                        self._publish(tree)

    def wait(self) -> None:
        """Wait for the trees that other threads are publishing."""
        for tree in list(self._trees):
            if not tree.is_open:
                self._publish(tree)

    def check(self, failures: int) -> None:
        """Raise the last failure if there were more than `failures`.

        A tree may hold values of several operations; its publisher gets the error of any of them.
        """
        if self._failure is not None and self.failures > failures:
            raise NotWritten(self._failure.key, self._failure.reason)

    def _publish(self, tree: GrowingTree) -> None:
        try:
            tree.publish(self._place)
        except NotWritten as error:
            with self._guard:
                self._failure = error
                self.failures += 1
            raise
        finally:
            with self._guard:
                if tree in self._trees:
                    self._trees.remove(tree)
