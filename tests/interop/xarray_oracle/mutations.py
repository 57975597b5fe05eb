"""Ways to spoil a hierarchy, one thing at a time, by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

Node = dict[str, Any]
Mutation = "Callable[[Random, Node], bool]"
"""Changes the tree in place; whether there was anything to change."""

BASE64 = "AAAAAAAA+H8="

VALUES: dict[str, list[Any]] = {
    "coordinates": ["", "area", "nope", "area nope", ["area"], 1, None, True, {}],
    "_FillValue": [BASE64, 0, -1, 1.5, "NaN", "AAAA", None, True, [0], [BASE64, BASE64], {}, ""],
    "units": [
        "days since 2000-01-01", "Hours since 2000-1-1 12:00", "h since 1970-01-01T00:00:00Z", "days sinc 2000-01-01",
        "days SINCE 2000-01-01", "days since", "days since then", "weeks since 2000-01-01", "months since 2000-01-01",
        "days since 2000", "days since 2000/01/01", "days since 2000-13-01", "days since 2000-01-01 25:00", "since",
        "nanoseconds since 1970-01-01", "m s-1", "days", 1, None, ["days since 2000-01-01"],
    ],
    "calendar": ["standard", "noleap", "360_day", "NoLeap", "none", "gregorain", "", 1, None, []],
    "scale_factor": [0.1, 2, "0.1", True, None, [0.1], [1, 2], {}],
    "add_offset": [0.1, 2, "0.1", True, None, [0.1], [1, 2], {}],
    "missing_value": [-1, -1.5, [1, 2], "-1", None, True, {}],
    "_Unsigned": ["true", "false", True, "True", 1, None],
    "dtype": ["bool", "timedelta64[ns]", "timedelta64[xx]", "timedelta64", "float32", 1],
    "bounds": ["area", "nope", ["area"], 1, None],
    "grid_mapping": ["height", "nope", "height: lat", "nope: lat", ["height"], 1],
    "cell_measures": ["area: area", "area: nope", ["area"]],
    "formula_terms": ["a: height", "a: nope b: height"],
    "ancillary_variables": ["counts", "nope"],
    "_ARRAY_DIMENSIONS": [[1, "x"], [None, "x"], "x", ["x"], ["x", "y", "z", "w"], [["x"]], {}, None, 3],
}  # fmt: skip
"""Values to write into attributes of arrays; `time` gets those of units and calendars, too."""

_OF_TIMES = {"units", "calendar"}


def arrays_of(tree: Node) -> Iterator[tuple[str, Node]]:
    """Every array, by its name."""
    waiting = [tree]
    while waiting:
        group = waiting.pop()
        for name, node in group.get("members", {}).items():
            if "shape" in node:
                yield name, node
            else:
                waiting.append(node)


def dims_of(node: Node) -> list[Any] | None:
    """The list of names, wherever it stands."""
    where = node if node["zarr_format"] == 3 else node.get("attributes", {})
    found = where.get("dimension_names" if node["zarr_format"] == 3 else "_ARRAY_DIMENSIONS")
    return found if isinstance(found, list) else None


def with_dims(node: Node, dims: Any) -> None:
    """Name the dimensions."""
    if node["zarr_format"] == 3:
        node["dimension_names"] = dims
    else:
        node.setdefault("attributes", {})["_ARRAY_DIMENSIONS"] = dims


def _attribute(key: str, value: Any) -> Callable[[Random, Node], bool]:
    def change(choose: Random, tree: Node) -> bool:
        arrays = list(arrays_of(tree))
        if key in _OF_TIMES:
            arrays = [(name, node) for name, node in arrays if name == "time"]
        if not arrays:
            return False
        _, node = choose.choice(arrays)
        node.setdefault("attributes", {})[key] = json.loads(json.dumps(value))
        return True

    return change


def _of_group(key: str, value: Any) -> Callable[[Random, Node], bool]:
    def change(choose: Random, tree: Node) -> bool:
        del choose
        tree.setdefault("attributes", {})[key] = json.loads(json.dumps(value))
        return True

    return change


def _dims(change: Callable[[Random, list[Any]], Any]) -> Callable[[Random, Node], bool]:
    def changed(choose: Random, tree: Node) -> bool:
        arrays = [node for _, node in arrays_of(tree) if dims_of(node)]
        if not arrays:
            return False
        node = choose.choice(arrays)
        with_dims(node, change(choose, list(dims_of(node) or [])))
        return True

    return changed


def _one(name: Any) -> Callable[[Random, list[Any]], Any]:
    def change(choose: Random, dims: list[Any]) -> list[Any]:
        dims[choose.randrange(len(dims))] = name
        return dims

    return change


def unnamed(choose: Random, tree: Node) -> bool:
    """One array without names."""
    arrays = [node for _, node in arrays_of(tree) if dims_of(node) is not None]
    if not arrays:
        return False
    node = choose.choice(arrays)
    where, key = (
        (node, "dimension_names") if node["zarr_format"] == 3 else (node["attributes"], "_ARRAY_DIMENSIONS")
    )
    where.pop(key)
    return True


def longer(choose: Random, tree: Node) -> bool:
    """One array longer along one dimension."""
    arrays = [node for _, node in arrays_of(tree) if node["shape"]]
    if not arrays:
        return False
    node = choose.choice(arrays)
    node["shape"][choose.randrange(len(node["shape"]))] += 2
    return True


def scalar(choose: Random, tree: Node) -> bool:
    """A dimension's coordinate variable made a scalar."""
    arrays = [(name, node) for name, node in arrays_of(tree) if dims_of(node) == [name]]
    if not arrays:
        return False
    _, node = choose.choice(arrays)
    node["shape"] = []
    if node["zarr_format"] == 3:
        node["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": []}}
    else:
        node["chunks"] = []
    with_dims(node, [])
    return True


def without(choose: Random, tree: Node) -> bool:
    """One array taken away."""
    if not tree["members"]:
        return False
    tree["members"].pop(choose.choice(list(tree["members"])))
    return True


def masked(value: Any) -> Callable[[Random, Node], bool]:
    """One v2 array of numbers with another fill_value."""

    def change(choose: Random, tree: Node) -> bool:
        numbers = [n for _, n in arrays_of(tree) if n["zarr_format"] == 2 and str(n["dtype"])[1:2] in "iuf"]
        if not numbers:
            return False
        choose.choice(numbers)["fill_value"] = value
        return True

    return change


def every() -> dict[str, Callable[[Random, Node], bool]]:
    """All of them, by name."""
    found: dict[str, Callable[[Random, Node], bool]] = {
        "no names": unnamed,
        "a name null": _dims(_one(None)),
        "a name empty": _dims(_one("")),
        "a name of another dimension": _dims(
            lambda choose, dims: [choose.choice(["x", "lat", "lon"]), *dims[1:]]
        ),
        "another name": _dims(_one("other")),
        "all names null": _dims(lambda _, dims: [None] * len(dims)),
        "longer": longer,
        "a scalar coordinate": scalar,
        "an array less": without,
        "fill_value 0": masked(0),
        "fill_value null": masked(None),
        "fill_value -1": masked(-1),
    }
    for value in ("", "area", "nope", ["area"], 1, None, {}):
        found[f"group coordinates {json.dumps(value)}"] = _of_group("coordinates", value)
    for key, values in VALUES.items():
        for value in values:
            found[f"{key} {json.dumps(value)}"] = _attribute(key, value)
    return found
