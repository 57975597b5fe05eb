"""Hierarchies in stores: where documents and chunks lie, one node opened, whole trees read."""
