"""HDF5 and NetCDF4 files: their hierarchy as a spec, and as a store that can be read and copied."""
