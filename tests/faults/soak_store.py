"""The hierarchy of a soak: the changes of the model, made with zom."""

from __future__ import annotations

import time

from soak_model import PIECEWISE, SHARED, is_between

import zom
from zom import v2, v3
from zom.errors import ConcurrentWriteError, ConflictError, StoreError

FORMS = {"v2": v2, "v3": v3}


def make(root, form, processes):
    """The hierarchy before anything is done: a group for each process, and an array that they share."""
    module = FORMS[form]
    members = {f"p{number}": module.GroupSpec(members={}) for number in range(processes)}
    shared = module.ArraySpec.build(shape=(SHARED * processes,), dtype="int32", chunks=(9,))
    zom.materialize(module.GroupSpec(members={**members, "shared": shared}), root)
    zom.consolidate(root)


class Owner:
    """The part of the hierarchy that one process owns."""

    def __init__(self, root, number, processes, form, patience):
        self.root = root
        self.form = form
        self.own = slice(number, None, processes)
        self.path = f"p{number}"
        self.patience = patience

    def at(self, path):
        return f"{self.path}/{path}" if path else self.path

    def patiently(self, act):
        """What `act` returns, once no change of others is in the way."""
        end = time.monotonic() + self.patience
        pause = 0.005
        while True:
            try:
                return act()
            except (ConflictError, ConcurrentWriteError, StoreError) as error:
                if not is_of_others(error) or time.monotonic() > end:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 0.2)

    # --- looking ----------------------------------------------------------------------------------------

    def found(self):
        """What the hierarchy holds, as the model's facts."""
        return self.patiently(self._found)

    def _found(self):
        state = {}
        spec = zom.read(self.root, self.path)
        for path, node in spec.walk():
            values = None
            if node.kind == "array":
                values = zom.open_array(self.root, self.at(path.strip("/")))[...].tolist()
            state[path.strip("/")] = {"attrs": dict(node.attributes), "values": values}
        shared = zom.open_array(self.root, "shared")[self.own].tolist()
        return {"state": state, "shared": shared}

    def check(self, model):
        """An error where hierarchy and model differ."""
        found = self.found()
        if found != model.facts():
            raise AssertionError(f"expected {model.facts()}, found {found}")

    def settle(self, model, change):
        """What became of a change that was interrupted: "old", "new", or what was found."""
        found = self.found()
        old = model.facts()
        if found == old:
            return "old"
        if change is not None:
            new = model.after(change)
            if found == new:
                return "new"
            if change["do"] in PIECEWISE and is_between(found, old, new):
                return found
        raise AssertionError(f"after {change}: expected {old} or what the change makes of it, found {found}")

    # --- changing ---------------------------------------------------------------------------------------

    def do(self, change):
        """Make a change, once those of others are done."""
        arguments = {name: value for name, value in change.items() if name != "do"}
        self.patiently(lambda: getattr(self, f"_{change['do']}")(**arguments))

    def _array(self, path, length, sharded):
        options = {"chunks": (4,)}
        if sharded and self.form == "v3":
            options = {"chunks": (2,), "shards": (8,)}
        made = FORMS[self.form].ArraySpec.build(shape=(length,), dtype="int32", **options)
        zom.create_array(self.root, made, self.at(path))

    def _group(self, path):
        zom.create_group(self.root, FORMS[self.form].GroupSpec(), self.at(path))

    def _open(self, path):
        return zom.open(self.root, self.at(path), mode="r+")

    def _write(self, path, start, stop, value):
        self._open(path)[start:stop] = value

    def _shared(self, value):
        zom.open_array(self.root, "shared", mode="r+")[self.own] = value

    def _attrs(self, path, value):
        self._open(path).attrs["v"] = value

    def _delete(self, path):
        zom.delete(self.root, self.at(path))

    def _rename(self, path, to):
        zom.rename(self.root, self.at(path), self.at(to))

    def _copy(self, path, to):
        zom.copy(self.root, self.root, path=self.at(path), target_path=self.at(to), jobs=1)

    def _append(self, path, count, value):
        self._open(path).append([value] * count)

    def _resize(self, path, length):
        self._open(path).resize((length,))

    def _consolidate(self, drop):
        zom.consolidate(self.root, drop=drop)


def is_of_others(error):
    """Whether an error says that others are changing the hierarchy, and to wait or to try again."""
    text = str(error)
    return isinstance(error, ConcurrentWriteError) or any(
        word in text for word in ("zom.repair", "plan again", "meanwhile")
    )
