"""What pytest leaves alone: modules that only load where an optional dependency is installed."""

from importlib.util import find_spec

# The class of the bridge derives from zarr-python's: without it there is nothing to import.
collect_ignore = [] if find_spec("zarr") else ["src/zom/stores/zarr_python/bridge.py"]
