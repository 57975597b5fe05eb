"""HDF5 and NetCDF4 files as specs, and as stores to read and copy from."""
