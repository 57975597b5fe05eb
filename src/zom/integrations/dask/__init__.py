"""Dask: write lazy arrays to zom arrays in parallel."""
