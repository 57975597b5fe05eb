"""Stores of AnnData for conventions_anndata.py: what anndata writes, and the damage done to it."""

from anndata_stores.damage import Damage, damages
from anndata_stores.sources import SOURCES, written

__all__ = ["SOURCES", "Damage", "damages", "written"]
