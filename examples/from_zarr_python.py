"""For users of zarr-python: familiar calls, and what zom adds."""

import numpy as np

import zom

# As in zarr-python.
root = zom.open_group("data.zarr", mode="w", attributes={"title": "moved"})
values = root.create_array("values", shape=(100, 100), chunks=(10, 10), dtype="f4")
values[:10] = 1
root["squares"] = np.arange(10) ** 2
root.require_array("values", shape=(100, 100), dtype="f4")
root.require_group("raw").create_array("a", data=[1, 2, 3])
print(sorted(root), sorted(root.arrays()), values.nbytes_stored())
print(values.compressors, values.serializer, values.metadata.to_dict()["node_type"])

values.attrs.put({"units": {"name": "K", "scale": [1, 2]}})
values.attrs["units"]["scale"].append(3)  # zarr-python loses this change
assert zom.open_array("data.zarr", "values").attrs.asdict()["units"]["scale"] == [1, 2, 3]

squares = root.arrays()["squares"]
squares.resize(12)
squares.append([144, 169])
del root["raw"]

# What zom adds: the hierarchy as a document, plans before changes, and differences between stores.
spec = root.read()
print(zom.plan(spec.replace(attributes={"title": "renamed"}), "data.zarr", on_conflict="update"))
zom.copy("data.zarr", "copy.zip")
zom.save("other.zarr", squares=squares[:], values=values[:], form="v2")
print(zom.diff("data.zarr", "copy.zip", data=True))
print(zom.diff("data.zarr", "other.zarr", data=True))
assert zom.check("copy.zip").ok
