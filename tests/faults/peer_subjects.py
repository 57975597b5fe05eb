"""The same changes made with zom and with its peers: what each of them has, by the names of the changes.

Every subject makes one hierarchy in the directory `S`, and reads its arrays back: `row` of 5 elements in chunks
of 4, `a` of 8 in chunks of 4, `s` of 8 in one shard of chunks of 2, `empty` of 4 without a chunk.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

ABSENT = "absent"


def number_from(start, count):
    return np.arange(start, start + count, dtype="int32")


class Subject:
    """What one library does; each change is a method whose name begins with `do_`."""

    sharded = True

    def changes(self):
        """The changes that it has, by what they are called, and the arrays that they are about."""
        return {what: path for what, path in CHANGES.items() if hasattr(self, method_of(what))}

    def warm(self, folder):
        """Import what is imported at first use, before anything is forked."""

    def make(self, root):
        """The hierarchy before any change."""
        raise NotImplementedError

    def look(self, root, path):
        """What a fresh reader finds at `path`: the shape, the attributes and the elements, or ABSENT."""
        raise NotImplementedError


CHANGES = {
    "create a chunk": "empty",
    "overwrite a chunk": "a",
    "write a part of a chunk": "a",
    "write a part of a shard": "s",
    "set attributes": "a",
    "append": "row",
    "grow": "row",
    "shrink": "a",
    "create an array": "new",
    "replace an array": "a",
    "delete an array": "a",
}


def method_of(what):
    return "do_" + what.replace(" ", "_")


class Written(Subject):
    """A library whose arrays are written by indexing."""

    def open(self, root, path):
        raise NotImplementedError

    def do_create_a_chunk(self, root):
        self.open(root, "empty")[...] = number_from(1, 4)

    def do_overwrite_a_chunk(self, root):
        self.open(root, "a")[0:4] = number_from(101, 4)

    def do_write_a_part_of_a_chunk(self, root):
        self.open(root, "a")[1:3] = number_from(101, 2)

    def do_write_a_part_of_a_shard(self, root):
        self.open(root, "s")[1:4] = number_from(101, 3)

    def do_set_attributes(self, root):
        self.open(root, "a").attrs.update({"units": "K", "n": [1, 2]})

    def do_append(self, root):
        self.open(root, "row").append(number_from(101, 3))

    def do_grow(self, root):
        self.open(root, "row").resize((9,))

    def do_shrink(self, root):
        self.open(root, "a").resize((3,))


class Zom(Written):
    """zom itself, from this checkout."""

    def __init__(self):
        import zom
        from zom import v3

        self.zom, self.v3 = zom, v3
        self.version = zom.__version__

    def warm(self, folder):
        for place, (what, path) in enumerate(self.changes().items()):
            root = f"{folder}/{place}"
            self.make(root)
            getattr(self, method_of(what))(root)
            self.look(root, path)

    def array(self, length, chunk, **options):
        return self.v3.ArraySpec.build(shape=(length,), dtype="int32", chunks=(chunk,), **options)

    def make(self, root):
        members = {
            "a": self.array(8, 4, attributes={"units": "m"}),
            "row": self.array(5, 4),
            "s": self.array(8, 2, shards=(8,)),
            "empty": self.array(4, 4),
        }
        data = {"a": number_from(1, 8), "row": number_from(1, 5), "s": number_from(1, 8)}
        self.zom.materialize(self.v3.GroupSpec(members=members), root, data=data)

    def open(self, root, path):
        return self.zom.open(root, path, mode="r+")

    def look(self, root, path):
        try:
            array = self.zom.open(root, path)
        except self.zom.NotFound:
            return ABSENT
        return [list(array.shape), dict(array.attrs), array[...].tolist()]

    def do_create_an_array(self, root):
        self.zom.create_array(root, self.array(4, 4), "new")

    def do_replace_an_array(self, root):
        self.zom.materialize(
            self.array(3, 3, dimension_names=("x",)), root, "a", on_conflict="replace", prune=True
        )

    def do_delete_an_array(self, root):
        self.zom.delete(root, "a")


class ZarrPython(Written):
    """zarr-python 3 with its local store."""

    def __init__(self):
        import zarr

        self.zarr = zarr
        self.version = zarr.__version__

    def array(self, root, name, length, chunk, **options):
        return self.zarr.create_array(
            root, name=name, shape=(length,), dtype="int32", chunks=(chunk,), **options
        )

    def make(self, root):
        self.zarr.create_group(root)
        self.array(root, "a", 8, 4, attributes={"units": "m"})[...] = number_from(1, 8)
        self.array(root, "row", 5, 4)[...] = number_from(1, 5)
        self.array(root, "s", 8, 2, shards=(8,))[...] = number_from(1, 8)
        self.array(root, "empty", 4, 4)

    def open(self, root, path):
        return self.zarr.open_array(root, path=path, mode="r+")

    def look(self, root, path):
        if not self.is_there(root, path):
            return ABSENT
        array = self.zarr.open_array(root, path=path, mode="r")
        return [list(array.shape), dict(array.attrs), array[...].tolist()]

    def is_there(self, root, path):
        return (Path(root) / path / "zarr.json").exists()

    def do_create_an_array(self, root):
        self.array(root, "new", 4, 4)

    def do_replace_an_array(self, root):
        self.array(root, "a", 3, 3, overwrite=True)

    def do_delete_an_array(self, root):
        del self.zarr.open_group(root, mode="r+")["a"]


class ZarrPython2(ZarrPython):
    """zarr-python 2, which has no shards."""

    def array(self, root, name, length, chunk, attributes=None, **options):
        store = self.zarr.DirectoryStore(root)
        made = self.zarr.create(
            store=store, path=name, shape=(length,), dtype="int32", chunks=(chunk,), **options
        )
        if attributes:
            made.attrs.update(attributes)
        return made

    def make(self, root):
        self.zarr.group(self.zarr.DirectoryStore(root))
        self.array(root, "a", 8, 4, {"units": "m"})[...] = number_from(1, 8)
        self.array(root, "row", 5, 4)[...] = number_from(1, 5)
        self.array(root, "empty", 4, 4)

    def changes(self):
        return {what: path for what, path in super().changes().items() if path != "s"}

    def is_there(self, root, path):
        return (Path(root) / path / ".zarray").exists()


class TensorStore(Written):
    """tensorstore with its driver for v3; it has neither attributes nor deletion of its own."""

    do_set_attributes = None

    def __init__(self):
        import importlib.metadata

        import tensorstore

        self.tensorstore = tensorstore
        self.version = importlib.metadata.version("tensorstore")

    def changes(self):
        left = {"set attributes", "delete an array"}
        return {what: path for what, path in CHANGES.items() if what not in left}

    def spec(self, root, path):
        return {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{root}/{path}/"}}

    def array(self, root, path, length, chunk, shard=None, **options):
        inner = [{"name": "bytes", "configuration": {"endian": "little"}}]
        codecs = inner
        if shard:
            index = [*inner, {"name": "crc32c"}]
            configuration = {"chunk_shape": [chunk], "codecs": inner, "index_codecs": index}
            codecs = [{"name": "sharding_indexed", "configuration": configuration}]
        metadata = {
            "shape": [length],
            "data_type": "int32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [shard or chunk]}},
            "codecs": codecs,
        }
        spec = {**self.spec(root, path), "metadata": metadata}
        return self.tensorstore.open(spec, create=True, **options).result()

    def make(self, root):
        group = '{"zarr_format": 3, "node_type": "group", "attributes": {}}'
        Path(root).mkdir()
        (Path(root) / "zarr.json").write_text(group)
        self.array(root, "a", 8, 4)[...] = number_from(1, 8)
        self.array(root, "row", 5, 4)[...] = number_from(1, 5)
        self.array(root, "s", 8, 2, 8)[...] = number_from(1, 8)
        self.array(root, "empty", 4, 4)

    def open(self, root, path):
        return self.tensorstore.open(self.spec(root, path), open=True).result()

    def look(self, root, path):
        if not (Path(root) / path / "zarr.json").exists():
            return ABSENT
        array = self.tensorstore.open(self.spec(root, path), open=True, read=True).result()
        return [list(array.shape), {}, array[...].read().result().tolist()]

    def do_append(self, root):
        array = self.open(root, "row").resize(exclusive_max=[8]).result()
        array[5:8] = number_from(101, 3)

    def do_grow(self, root):
        self.open(root, "row").resize(exclusive_max=[9], expand_only=True).result()

    def do_shrink(self, root):
        self.open(root, "a").resize(exclusive_max=[3], shrink_only=True).result()

    def do_create_an_array(self, root):
        self.array(root, "new", 4, 4)

    def do_replace_an_array(self, root):
        self.array(root, "a", 3, 3, delete_existing=True)


SUBJECTS = {"zom": Zom, "zarr-python": ZarrPython, "zarr-python 2": ZarrPython2, "tensorstore": TensorStore}
