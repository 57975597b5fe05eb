"""Dask: arrays of zom as lazy ones, and lazy arrays written in parallel."""
