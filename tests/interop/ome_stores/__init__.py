"""OME-Zarr for `conventions_ome.py`: stores that are written, documents that are damaged, readers that are asked."""
