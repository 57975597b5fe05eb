"""The operations that faults are tried on: the tree before, what is done, and where it may be repaired from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import zom
from zom import draft, v2, v3

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Operation:
    """One change of a tree. All paths are below the folder that is watched; the store is `S` there."""

    name: str
    before: Callable[[Path], object]
    """Makes the tree that the operation finds."""
    act: Callable[[Path], object]
    piecewise: bool = False
    """Whether chunks change one by one, so that each of them is old or new."""
    stores: tuple[str, ...] = ("S",)
    """The stores that are looked at."""
    repairs: tuple[tuple[str, str], ...] = (("S", ""),)
    """Stores and paths that a repair may be asked for; the first is the root."""
    again: bool = True
    """Whether the operation can be done again where it was not done."""
    leaves: frozenset[str] = frozenset()
    """What `zom.validate` may find where the operation was not done."""
    resumes: bool = False
    """Whether what was interrupted stays hidden until the operation is done again, and is finished then."""
    afterwards: Callable[[Path], object] | None = None
    """Something that is done once the operation is old or new; what it leads to must be known, too."""


OPERATIONS: dict[str, Operation] = {}


def operation(name, before, **options):
    def register(act):
        OPERATIONS[name] = Operation(name, before, act, **options)
        return act

    return register


# --- the trees ----------------------------------------------------------------------------------------


FAMILIES = {"v2": v2, "v3": v3, "draft": draft}


def array(form, shape, dtype, chunks, **options):
    if form == "v3":
        options.setdefault("checksum", True)
    return FAMILIES[form].ArraySpec.build(shape=shape, dtype=dtype, chunks=chunks, compress=None, **options)


def spec(form):
    group = FAMILIES[form].GroupSpec
    members = {
        "a": array(form, (8,), "int32", (2,), attributes={"units": "m"}),
        "g": group(
            attributes={"title": "group"},
            members={
                "a": array(form, (6, 4), "int16", (2, 2)),
                "h": group(attributes={"n": 1}, members={"b": array(form, (), "float64", ())}),
            },
        ),
    }
    if form == "v3":
        sharded = array(form, (8,), "int16", (2,), shards=(4,))
        members["g"] = members["g"].replace(members={**members["g"].members, "s": sharded})
    return group(attributes={"root": True}, members=members)


FOREIGN = {"notes.txt": b"mine", "g/photo.jpg": b"\xff\xd8", "g/a/thesis.tex": b"\\end"}


def values(shape, start, dtype="int64"):
    return (np.arange(int(np.prod(shape)), dtype=dtype) + start).reshape(shape)


def fill(store, prefix=""):
    for path, shape, start in (("a", (8,), 1), ("g/a", (6, 4), 100), ("g/h/b", (), 7), ("g/s", (8,), 200)):
        try:
            opened = zom.open_array(store, prefix + path, mode="r+")
        except zom.NotFound:
            continue
        opened[...] = values(shape, start)


def tree(form="v3", *, consolidated=False, foreign=True):
    """What makes the tree of a format."""

    def make(folder):
        with zom.store(folder / "S") as store:
            zom.materialize(spec(form), store)
            fill(store)
            if consolidated:
                zom.consolidate(store)
        for path, value in FOREIGN.items() if foreign else ():
            place = folder / "S" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(value)

    return make


def nothing(folder):
    """The folder is empty, and there is no store."""


def around(path):
    """Where a change of the node at `path` may be repaired from: the root, the node, a parent."""
    names = path.split("/")
    above = ["/".join(names[:count]) for count in range(1, len(names))]
    return (
        ("S", ""),
        ("S", path),
        *(("S", each) for each in above),
        *((f"S/{each}", "") for each in (*above, path)),
    )


def opened(folder, path, root="S"):
    return zom.open(str(folder / root), path, mode="r+")


# --- chunks and shards --------------------------------------------------------------------------------


def with_room(folder):
    """The tree, and an array without chunks beside it."""
    tree()(folder)
    zom.create_array(str(folder / "S"), array("v3", (4,), "int8", (2,)), "g/new")


@operation("chunk create", with_room, repairs=around("g/new"))
def _(folder):
    opened(folder, "g/new")[0:2] = [1, 2]


@operation("chunks create", with_room, repairs=around("g/new"), piecewise=True)
def _(folder):
    opened(folder, "g/new")[...] = [1, 2, 3, 4]


@operation("chunk overwrite", tree(), repairs=around("g/a"))
def _(folder):
    opened(folder, "g/a")[0:2, 0:2] = [[-1, -2], [-3, -4]]


@operation("chunk overwrite, durable", tree(), repairs=around("g/a"))
def _(folder):
    with zom.store(str(folder / "S"), durability="full") as store:
        zom.open_array(store, "g/a", mode="r+")[0:2, 0:2] = [[-1, -2], [-3, -4]]
        store.flush()


@operation("chunk partial write", tree(), repairs=around("g/a"))
def _(folder):
    opened(folder, "g/a")[0, 1] = -5


@operation("chunks overwrite", tree(), repairs=around("g/a"), piecewise=True)
def _(folder):
    opened(folder, "g/a")[...] = values((6, 4), -100)


@operation("chunk empty", tree(), repairs=around("g/a"))
def _(folder):
    opened(folder, "g/a")[0:2, 0:2] = 0


@operation("shard overwrite", tree(), repairs=around("g/s"))
def _(folder):
    opened(folder, "g/s")[0:4] = [-1, -2, -3, -4]


@operation("shard partial write", tree(), repairs=around("g/s"))
def _(folder):
    opened(folder, "g/s")[1:3] = [-5, -6]


@operation("shards overwrite", tree(), repairs=around("g/s"), piecewise=True)
def _(folder):
    opened(folder, "g/s")[...] = values((8,), -100)


def regrown(folder):
    """Shrink to what was there before, and grow: what lies beyond the old end must not come back."""
    row = opened(folder, "row")
    row.resize((5,))
    row.resize((12,))


def many(form, groups):
    """Groups of eight arrays."""
    group = FAMILIES[form].GroupSpec
    arrays = {f"a{place}": array(form, (2,), "int8", (2,)) for place in range(8)}
    return group(members={f"m{number}": group(members=arrays) for number in range(groups)})


def with_rows(form, *, shards=None):
    """The tree, and beside it an array whose last chunk or shard holds one of its five elements."""

    def make(folder):
        tree(form)(folder)
        options = {"shards": shards} if shards else {}
        zom.create_array(
            str(folder / "S"), array(form, (5,), "int32", (2,) if shards else (4,), **options), "row"
        )
        opened(folder, "row")[...] = values((5,), 41)

    return make


for name, made in {
    "v2": with_rows("v2"),
    "v3": with_rows("v3"),
    "v3 shard": with_rows("v3", shards=(4,)),
    "draft": with_rows("draft"),
}.items():
    # The last chunk is written while the old shape is in force: only elements beyond its end may change.
    @operation(
        f"append into the last chunk, {name}",
        made,
        repairs=around("row"),
        afterwards=regrown,
        leaves=frozenset({"chunk/outside-grid"}),
    )
    def _(folder):
        opened(folder, "row").append(values((3,), 900))

    @operation(
        f"append beyond the last chunk, {name}",
        made,
        repairs=around("row"),
        afterwards=regrown,
        leaves=frozenset({"chunk/outside-grid"}),
    )
    def _(folder):
        opened(folder, "row").append(values((8,), 900))


# --- documents ----------------------------------------------------------------------------------------


for form in ("v2", "v3", "draft"):
    for consolidated in (False, True)[: 1 if form == "draft" else 2]:
        name = f"{form} consolidated" if consolidated else form

        @operation(
            f"attributes of an array, {name}", tree(form, consolidated=consolidated), repairs=around("g/a")
        )
        def _(folder):
            opened(folder, "g/a").attrs.update(units="K", n=[1, 2])

        @operation(
            f"attributes of a group, {name}", tree(form, consolidated=consolidated), repairs=around("g")
        )
        def _(folder):
            opened(folder, "g").attrs["title"] = "another"

        def grow(folder):
            opened(folder, "g/a").resize((14, 6))

        @operation(
            f"append, {name}",
            tree(form, consolidated=consolidated),
            repairs=around("g/a"),
            afterwards=grow,
            # The data is written before the shape tells of it; whoever grows the array removes it.
            leaves=frozenset({"chunk/outside-grid"}),
        )
        def _(folder):
            opened(folder, "g/a").append(values((3, 4), 500))

        @operation(f"grow, {name}", tree(form, consolidated=consolidated), repairs=around("g/a"))
        def _(folder):
            opened(folder, "g/a").resize((9, 5))

        def regrow(folder):
            opened(folder, "g/a").resize((6, 4))

        @operation(
            f"shrink, {name}",
            tree(form, consolidated=consolidated),
            repairs=around("g/a"),
            afterwards=regrow,
            # The shape is told first; whoever grows the array removes what lies beyond it.
            leaves=frozenset({"chunk/outside-grid"}),
        )
        def _(folder):
            opened(folder, "g/a").resize((3, 4))

        @operation(f"create an array, {name}", tree(form, consolidated=consolidated), repairs=around("g/new"))
        def _(folder, form=form):
            zom.create_array(str(folder / "S"), array(form, (4,), "int8", (2,)), "g/new")

        @operation(
            f"create with groups above, {name}",
            tree(form, consolidated=consolidated),
            repairs=around("g/n/m"),
            again=False,
            piecewise=True,
            # Attributes of v2 come before the document that makes a node of them.
            leaves=frozenset({"store/loose-document"}),
        )
        def _(folder, form=form):
            zom.create_group(str(folder / "S"), FAMILIES[form].GroupSpec(attributes={"x": 1}), "g/n/m")

        @operation(f"delete an array, {name}", tree(form, consolidated=consolidated), repairs=around("g/a"))
        def _(folder):
            zom.delete(str(folder / "S"), "g/a")

        @operation(f"delete a group, {name}", tree(form, consolidated=consolidated), repairs=around("g"))
        def _(folder):
            zom.delete(str(folder / "S"), "g")

        @operation(f"rename an array, {name}", tree(form, consolidated=consolidated), repairs=around("g/a"))
        def _(folder):
            zom.rename(str(folder / "S"), "g/a", "g/h/moved")

        @operation(f"rename a group, {name}", tree(form, consolidated=consolidated), repairs=around("g"))
        def _(folder):
            zom.rename(str(folder / "S"), "g", "moved")

        @operation(f"consolidate, {name}", tree(form, consolidated=consolidated), repairs=(("S", ""),))
        def _(folder, consolidated=consolidated):
            zom.consolidate(str(folder / "S"), drop=consolidated)

        if form == "draft":
            del OPERATIONS[f"consolidate, {name}"]

        # --- whole hierarchies ---

        @operation(f"materialize new, {form}", nothing, repairs=(("S", ""),))
        def _(folder, form=form):
            zom.materialize(
                spec(form), str(folder / "S"), data={"a": values((8,), 3), "g/a": values((6, 4), 9)}
            )

        # Of so many documents, missing directories are filled aside.
        @operation(f"materialize many, {form}", nothing, repairs=(("S", ""),))
        def _(folder, form=form):
            zom.materialize(many(form, 3), str(folder / "S"))

        @operation(f"materialize many beside others, {name}", tree(form, consolidated=consolidated))
        def _(folder, form=form):
            zom.materialize(many(form, 2), str(folder / "S"), "more")

        def changed(form):
            """The tree with attributes, a shape and members that are others."""
            old = spec(form)
            group = FAMILIES[form].GroupSpec
            inner = {
                "a": array(form, (9, 4), "int16", (2, 2), attributes={"changed": 1}),
                "new": group(members={"c": array(form, (3,), "uint8", (3,))}),
            }
            members = {"a": old["a"], "g": group(attributes={"title": "updated"}, members=inner)}
            return group(attributes={"root": False}, members=members)

        @operation(
            f"materialize update, {name}",
            tree(form, consolidated=consolidated),
            repairs=(("S", ""), ("S", "g"), ("S", "g/a"), ("S/g", "")),
        )
        def _(folder, form=form):
            zom.materialize(changed(form), str(folder / "S"), on_conflict="update")

        @operation(
            f"materialize replace, {name}",
            tree(form, consolidated=consolidated),
            repairs=(("S", ""), ("S", "g"), ("S", "g/a"), ("S/g", "")),
        )
        def _(folder, form=form):
            another = changed(form)
            inner = {**another["g"].members, "a": array(form, (5,), "float32", (2,))}
            another = another.replace(
                members={**another.members, "g": another["g"].replace(members=inner)},
            )
            zom.materialize(another, str(folder / "S"), on_conflict="replace", prune=True)


# --- with a store that begins below the root -------------------------------------------------------------


@operation("delete below a group", tree(), repairs=around("g/a"))
def _(folder):
    zom.delete(str(folder / "S" / "g"), "a")


@operation("delete below a group, v2", tree("v2"), repairs=around("g/a"))
def _(folder):
    zom.delete(str(folder / "S" / "g"), "a")


@operation("rename below a group", tree(), repairs=around("g/a"))
def _(folder):
    zom.rename(str(folder / "S" / "g"), "a", "h/a")


@operation("rename below a group, v2 consolidated", tree("v2", consolidated=True), repairs=around("g/a"))
def _(folder):
    zom.rename(str(folder / "S" / "g"), "a", "h/a")


@operation("update below a group", tree(), repairs=around("g/a"))
def _(folder):
    group = v3.GroupSpec(members={"a": array("v3", (4, 4), "int16", (2, 2), attributes={"x": 1})})
    zom.materialize(group, str(folder / "S" / "g"), on_conflict="update")


# --- other formats and places ---------------------------------------------------------------------------


for form, to in (("v2", "v3"), ("draft", "v3"), ("v3", "v2")):

    def plain(folder, form=form):
        """Without checksums, which v2 has no codec for at this place."""
        options = {"checksum": False} if form == "v3" else {}
        group = FAMILIES[form].GroupSpec
        members = {
            "a": array(form, (8,), "int32", (2,), attributes={"units": "m"}, **options),
            "g": group(members={"a": array(form, (6, 4), "int16", (2, 2), **options)}),
        }
        zom.materialize(group(members=members), str(folder / "S"))
        with zom.store(folder / "S") as store:
            fill(store)
        for path, value in FOREIGN.items():
            place = folder / "S" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(value)

    @operation(f"migrate, {form} to {to}", plain, repairs=(("S", ""),))
    def _(folder, to=to):
        zom.migrate(str(folder / "S"), to, in_place=True)


def source_and_target(folder):
    tree()(folder)
    zom.materialize(v3.GroupSpec(members={"old": array("v3", (4,), "int8", (2,))}), str(folder / "T"))
    with zom.store(folder / "T") as store:
        zom.open_array(store, "old", mode="r+")[...] = [9, 8, 7, 6]


TARGET = {"stores": ("S", "T"), "repairs": (("T", ""),), "resumes": True}


@operation("copy", tree(), **TARGET)
def _(folder):
    zom.copy(str(folder / "S"), str(folder / "T"), jobs=1)


@operation("copy beside others", source_and_target, **{**TARGET, "repairs": (("T", ""), ("T", "in"))})
def _(folder):
    zom.copy(str(folder / "S"), str(folder / "T"), path="g", target_path="in", jobs=1)


@operation("copy and replace", source_and_target, **TARGET)
def _(folder):
    zom.copy(str(folder / "S"), str(folder / "T"), on_conflict="replace", jobs=1)


@operation("copy and replace an array", source_and_target, **{**TARGET, "repairs": (("T", ""), ("T", "old"))})
def _(folder):
    zom.copy(str(folder / "S"), str(folder / "T"), path="a", target_path="old", on_conflict="replace", jobs=1)


# --- files that are stores --------------------------------------------------------------------------------


def in_one_file(name):
    def make(folder):
        with zom.store(folder / name) as store:
            zom.materialize(spec("v3"), store)
            fill(store)

    return make


ZIP = {"stores": ("x.zip",), "repairs": (("x.zip", ""),)}
SQLITE = {"stores": ("x.sqlite",), "repairs": (("x.sqlite", ""),)}


@operation("zip create", nothing, **ZIP)
def _(folder):
    in_one_file("x.zip")(folder)


@operation("zip close", in_one_file("x.zip"), **ZIP)
def _(folder):
    with zom.store(str(folder / "x.zip"), mode="a") as store:
        zom.open_array(store, "g/a", mode="r+")[0:2, 0:2] = -1
        zom.open(store, "g", mode="r+").attrs["title"] = "another"


@operation("zip delete", in_one_file("x.zip"), **ZIP)
def _(folder):
    with zom.store(str(folder / "x.zip"), mode="a") as store:
        zom.delete(store, "g")


@operation("sqlite chunk", in_one_file("x.sqlite"), **SQLITE)
def _(folder):
    with zom.store(str(folder / "x.sqlite")) as store:
        zom.open_array(store, "g/a", mode="r+")[0:2, 0:2] = -1


@operation("sqlite update", in_one_file("x.sqlite"), **SQLITE)
def _(folder):
    with zom.store(str(folder / "x.sqlite")) as store:
        zom.materialize(changed("v3"), store, on_conflict="update")


@operation("sqlite delete", in_one_file("x.sqlite"), **SQLITE)
def _(folder):
    with zom.store(str(folder / "x.sqlite")) as store:
        zom.delete(store, "g")
