"""xarray reads hierarchies by `engine="zom"`, and its datasets become hierarchies."""

from zom.integrations.xarray import bridge

__all__ = ["bridge"]
