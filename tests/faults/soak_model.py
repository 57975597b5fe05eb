"""The model of a soak: what one process's part of a hierarchy holds, and the changes that it may make."""

from __future__ import annotations

import copy

NAMES = ("a", "b", "c", "g", "g/a", "g/b")
LONGEST = 24
SHARED = 12
"""How many elements of the shared array each process owns."""

PIECEWISE = ("write", "shared")
"""Changes of which a part may be done: each element is old or new."""


class Model:
    """Nodes by path; each has attributes, and an array has values. "" is the group of the process."""

    def __init__(self, number):
        self.number = number
        self.state = {"": {"attrs": {}, "values": None}}
        self.shared = [0] * SHARED

    def facts(self):
        """All of it, as JSON."""
        return {"state": self.state, "shared": self.shared}

    def adopt(self, facts):
        """Hold what was found."""
        self.state = facts["state"]
        self.shared = facts["shared"]

    def after(self, change):
        """The facts once a change is made."""
        made = copy.deepcopy(self)
        made.apply(change)
        return made.facts()

    def apply(self, change):
        """Make a change."""
        getattr(self, f"_{change['do']}")(**{name: value for name, value in change.items() if name != "do"})

    def _write(self, path, start, stop, value):
        self.state[path]["values"][start:stop] = [value] * (stop - start)

    def _shared(self, value):
        self.shared = [value] * SHARED

    def _attrs(self, path, value):
        self.state[path]["attrs"] = {"v": value}

    def _array(self, path, length, sharded):
        self.state[path] = {"attrs": {}, "values": [0] * length}

    def _group(self, path):
        self.state[path] = {"attrs": {}, "values": None}

    def _delete(self, path):
        self.state = {at: node for at, node in self.state.items() if not is_within(at, path)}

    def _rename(self, path, to):
        self.state = {
            to + at[len(path) :] if is_within(at, path) else at: node for at, node in self.state.items()
        }

    def _copy(self, path, to):
        inner = {at: node for at, node in self.state.items() if is_within(at, path)}
        self.state.update({to + at[len(path) :]: copy.deepcopy(node) for at, node in inner.items()})

    def _append(self, path, count, value):
        self.state[path]["values"] += [value] * count

    def _resize(self, path, length):
        values = self.state[path]["values"]
        self.state[path]["values"] = values[:length] + [0] * (length - len(values))

    def _consolidate(self, drop):
        """Nobody sees a difference."""


def is_within(path, root):
    return path == root or path.startswith(f"{root}/")


def is_between(found, old, new):
    """Whether each element is what it was, or is to be."""
    if found["state"].keys() != old["state"].keys():
        return False
    rows = [(found["shared"], old["shared"], new["shared"])]
    for path, node in found["state"].items():
        before, after = old["state"][path], new["state"][path]
        if node["attrs"] != before["attrs"] or (node["values"] is None) != (before["values"] is None):
            return False
        rows.append((node["values"] or [], before["values"] or [], after["values"] or []))
    return all(
        len(now) == len(before)
        and all(value in pair for value, *pair in zip(now, before, after, strict=True))
        for now, before, after in rows
    )


def next_change(model, chance):
    """A change that can be made now."""
    arrays = [path for path, node in model.state.items() if node["values"] is not None]
    groups = [path for path, node in model.state.items() if node["values"] is None]
    free = [
        name
        for name in NAMES
        if name not in model.state and (name.rpartition("/")[0] in groups) and not name.startswith("g/g")
    ]
    value = chance.randrange(1, 1000)
    choices = [
        {"do": "attrs", "path": chance.choice([*model.state]), "value": value},
        {"do": "shared", "value": value},
    ]
    if chance.random() < 0.15:
        choices = [{"do": "consolidate", "drop": chance.random() < 0.5}]
    elif arrays and chance.random() < 0.6:
        choices += _changes_of_array(model, chance.choice(arrays), value, chance)
    elif free:
        choices += _changes_of_tree(model, chance.choice(free), chance)
    movable = [path for path in model.state if path]
    if len(movable) > 3 or (movable and chance.random() < 0.2):
        choices.append({"do": "delete", "path": chance.choice(movable)})
    return chance.choice(choices)


def _changes_of_array(model, path, value, chance):
    length = len(model.state[path]["values"])
    found = [{"do": "resize", "path": path, "length": chance.randint(1, LONGEST)}]
    if length < LONGEST:
        found.append({"do": "append", "path": path, "count": chance.randint(1, 6), "value": value})
    start = chance.randrange(length)
    stop = chance.randint(start + 1, length)
    return [*found, {"do": "write", "path": path, "start": start, "stop": stop, "value": value}]


def _changes_of_tree(model, path, chance):
    if path == "g":
        return [{"do": "group", "path": path}]
    made = {
        "do": "array",
        "path": path,
        "length": chance.randint(1, LONGEST),
        "sharded": chance.random() < 0.5,
    }
    others = [at for at, node in model.state.items() if node["values"] is not None]
    if not others:
        return [made]
    other = chance.choice(others)
    return [made, {"do": "rename", "path": other, "to": path}, {"do": "copy", "path": other, "to": path}]
