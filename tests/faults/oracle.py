"""What may be found after a fault: the state before, the state after, or an error that names the repair.

A state is what a reader sees: the document of every node, and the elements of every chunk.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import warnings

from trees import files, restore, snapshot

import zom
from zom.errors import NotFound, ZomError

ABSENT = "absent"

OWN = ".zom."
"""How the names of files begin that belong to a change under way: journals, marks of copies."""


def look(folder, stores):
    """The state of the stores, as fresh readers see it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = {}
        for name in stores:
            state.update(_look_at_store(folder, name))
        return state


def _look_at_store(folder, name):
    place = os.path.join(folder, name)
    if not os.path.lexists(place):
        return {(name, "/"): ABSENT}
    try:
        spec = zom.read(place)
    except NotFound:
        return {(name, "/"): ABSENT}
    state = {}
    with zom.store(place, read_only=True) as store:
        for path, node in spec.walk():
            state.update(_look_at_node(store, name, path, node))
    return state


def _look_at_node(store, name, path, node):
    if node.kind == "group":
        return {(name, path): node.replace(members=None).to_json()}
    array = zom.open_array(store, path)
    state = {(name, path): array.spec.to_json()}
    values = array[...]
    sizes = array.shards or array.chunks
    starts = [range(0, length, size) for length, size in zip(array.shape, sizes, strict=True)]
    for corner in itertools.product(*starts):
        part = tuple(slice(at, at + size) for at, size in zip(corner, sizes, strict=True))
        state[(name, path, corner)] = values[part].tobytes()
    return state


def look_at_one(folder, name, path):
    """The part of the state that one node is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zom.store(os.path.join(folder, name), read_only=True) as store:
            return _look_at_node(store, name, path, zom.open(store, path).spec)


def ailments(folder, stores):
    """What `zom.validate` finds in the stores: stale consolidated metadata, keys of nobody, damaged chunks."""
    found = set()
    for name in stores:
        place = os.path.join(folder, name)
        if os.path.lexists(place):
            with contextlib.suppress(NotFound):
                found.update(
                    (problem.code, problem.key)
                    for problem in zom.validate(place, conventions=(), data="all").problems
                )
    return found


def names_repair(error):
    """Whether an error is zom's and says that a change is unfinished, and what to do."""
    return isinstance(error, ZomError) and "zom.repair" in str(error)


def is_unfinished(path):
    """Whether a file belongs to a change that is under way; SQLite has journals of its own."""
    return any(name.startswith(OWN) for name in path.split("/")) or path.endswith(".sqlite-journal")


class Oracle:
    """Knows the state before and after an operation, and the files of both."""

    def __init__(self, operation, folder, old_tree, new_tree):
        self.operation = operation
        self.folder = folder
        self.trees = {"old": old_tree, "new": new_tree}
        self.old = self._state(old_tree)
        self.new = self._state(new_tree)
        self.later = {}
        for name, tree in self.trees.items():
            restore(tree, folder)
            if operation.afterwards is not None:
                operation.afterwards(folder)
            self.later[name] = look(folder, operation.stores)
        before, after = files(old_tree), files(new_tree)
        self.same = {path: value for path, value in before.items() if after.get(path) == value}
        self.known = {*before, *after}
        self.same_entries = {key: value for key, value in self.old.items() if self.new.get(key) == value}
        self.ailments = set()
        for tree in self.trees.values():
            restore(tree, folder)
            self.ailments |= ailments(folder, operation.stores)

    def _state(self, tree):
        restore(tree, self.folder)
        return look(self.folder, self.operation.stores)

    def is_possible(self, state):
        """Whether it is the state before or after, or, where parts change one by one, between them."""
        if state in (self.old, self.new):
            return True
        keys = {*self.old, *self.new}
        if not self.operation.piecewise or not {*state} <= keys:
            return False
        return all(state.get(key) in (self.old.get(key), self.new.get(key)) for key in keys)

    def told(self, state):
        """What a state is, for people."""
        if state == self.new:
            return "new"
        if state == self.old:
            return "old"
        if self.is_possible(state):
            return "between"
        wrong = [
            key
            for key in sorted({*state, *self.old, *self.new}, key=str)
            if state.get(key) not in (self.old.get(key), self.new.get(key))
        ]
        return f"neither old nor new: {wrong[:4]}" if wrong else "a mixture of old and new"

    def judge(self, tree, *, strict, disk=None):
        """What is wrong with a tree after a fault, and whether it could not be read before a repair.

        `strict` says that the process lived on, with the disk as it was: then nothing may be unfinished.
        Where the disk stays full, `disk` is told True when it is to be full again, and False when not.
        """
        judgement = Judgement(self, tree, disk, strict=strict)
        judgement.check()
        return judgement.problems, judgement.refused


class Judgement:
    """One tree that a fault has left."""

    def __init__(self, oracle, tree, disk, *, strict):
        self.oracle = oracle
        self.operation = oracle.operation
        self.folder = oracle.folder
        self.tree = tree
        self.disk = disk or (lambda full: None)
        self.full = disk is not None
        self.strict = strict
        self.root = os.path.join(self.folder, self.operation.repairs[0][0])
        self.problems = []
        self.refused = False

    def check(self):
        self._check_files()
        self._restore()
        self._check_reading()
        pending = self.refused or any(is_unfinished(path) for path in self.tree)
        if self.full and not pending and not os.path.isdir(self.root):
            return  # a file can't be opened for writing then, and there is nothing to repair
        for name, path in self.operation.repairs if pending else self.operation.repairs[:1]:
            self._restore()
            if os.path.exists(os.path.join(self.folder, name)):
                self._check_repair(name, path, pending=pending)
        self.disk(False)

    def _restore(self):
        self.disk(False)
        restore(self.tree, self.folder)
        self.disk(True)

    def _check_files(self):
        seen = files(self.tree)
        if lost := sorted(path for path, value in self.oracle.same.items() if seen.get(path) != value):
            self.problems.append(f"changed files that it is not about: {lost[:3]}")
        extra = sorted(path for path in {*seen} - self.oracle.known if not is_unfinished(path))
        if extra and not self.operation.resumes:
            self.problems.append(f"files that are seen and are no part of it: {extra[:3]}")

    def _check_reading(self):
        try:
            state = look(self.folder, self.operation.stores)
        except Exception as error:
            self.refused = True
            if not names_repair(error):
                self.problems.append(f"reading fails: {shown(error)}")
            elif self.strict:
                self.problems.append(f"left unfinished after an error: {shown(error)}")
            self._check_bystanders()
            return
        if not self.oracle.is_possible(state):
            self.problems.append(f"reading gives {self.oracle.told(state)}")

    def _check_bystanders(self):
        """Nodes that the operation doesn't touch are read as before."""
        for key, value in self.oracle.same_entries.items():
            if len(key) != 2 or value == ABSENT or key[1] == "/":
                continue
            try:
                found = look_at_one(self.folder, *key)
            except Exception as error:
                if not names_repair(error):
                    self.problems.append(f"{key[1]}, which it is not about: {shown(error)}")
                continue
            wrong = [each for each, now in found.items() if self.oracle.old.get(each) != now]
            if wrong:
                self.problems.append(f"{key[1]}, which it is not about, has changed: {wrong[:2]}")

    def _check_repair(self, name, path, *, pending):
        place = f"repair({name!r}, {path!r})"
        try:
            _repair(os.path.join(self.folder, name), path)
        except NotFound:
            return
        except Exception as error:
            self.problems.append(f"{place}: {shown(error)}")
            return
        try:
            state = look(self.folder, self.operation.stores)
        except Exception as error:
            # A store that begins below the change can't know of it.
            if name == self.operation.repairs[0][0] or not names_repair(error):
                self.problems.append(f"{place}, then reading fails: {shown(error)}")
            return
        if not self.oracle.is_possible(state):
            self.problems.append(f"{place}, then reading gives {self.oracle.told(state)}")
            return
        root = self.operation.repairs[0][0]
        if name != root:
            # A store that begins below the change doesn't reach its journal; the root finishes it then.
            place = f"{place}, then repair({root!r}, '')"
            _repair(os.path.join(self.folder, root), "")
            state = look(self.folder, self.operation.stores)
        told = self.oracle.told(state)
        self._check_leavings(place, told, pending=pending)
        self.disk(False)
        self._check_later(place, told)

    def _check_leavings(self, place, told, *, pending):
        tree = snapshot(self.folder)
        if not pending and files(tree) != files(self.tree) and os.path.isdir(self.root):
            self.problems.append(f"{place}: nothing is unfinished, and it changes files")
        seen = files(tree)
        if lost := sorted(path for path, value in self.oracle.same.items() if seen.get(path) != value):
            self.problems.append(f"{place} changed files that it is not about: {lost[:3]}")
        if self.operation.resumes and told == "old":
            return
        # SQLite leaves a journal that was not begun, and takes no notice of it.
        if left := sorted(path for path in tree if is_unfinished(path) and not path.endswith("-journal")):
            self.problems.append(f"{place} left {left}")
        if told != "between" and pending and not self.operation.leaves:
            # Nobody who reads sees what consolidated metadata there is: then both trees are right.
            alike = self.oracle.trees if self.oracle.old == self.oracle.new else [told]
            expected = {path for name in alike for path in files(self.oracle.trees[name])}
            extra = sorted(path for path in {*seen} - expected if not is_unfinished(path))
            if extra:
                self.problems.append(f"{place} left {extra[:3]}, state {told}")
        found = ailments(self.folder, self.operation.stores) - self.oracle.ailments
        if new := {each for each in found if each[0] not in self.operation.leaves}:
            self.problems.append(f"{place}, then zom.validate finds {sorted(new)[:3]}")

    def _check_later(self, place, told):
        """What is done next leads where it leads without a fault; what was not done can be done."""
        tree = snapshot(self.folder)
        try:
            if self.operation.afterwards is not None and told != "between":
                self.operation.afterwards(self.folder)
                state = look(self.folder, self.operation.stores)
                if state != self.oracle.later[told]:
                    self.problems.append(f"{place}, and what is done next gives another state")
                restore(tree, self.folder)
            if not self.operation.again or told == "new":
                return
            self.operation.act(self.folder)
            told = self.oracle.told(look(self.folder, self.operation.stores))
            if told != "new":
                self.problems.append(f"{place}, then once more: {told}")
            elif left := sorted(path for path in snapshot(self.folder) if is_unfinished(path)):
                self.problems.append(f"{place}, then once more left {left}")
        except Exception as error:
            self.problems.append(f"{place}, then once more: {shown(error)}")


def _repair(place, path):
    if not place.endswith(".zip"):
        zom.repair(place, path)
        return
    with zom.store(place, mode="a") as store:
        zom.repair(store, path)


def shown(error):
    """An error as it is shown to people."""
    return f"{type(error).__name__}: {error}"
