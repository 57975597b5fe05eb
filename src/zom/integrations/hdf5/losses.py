"""Rules for the parts of an HDF5 file that Zarr can't represent, which are reported as losses."""

from __future__ import annotations

from zom.problems import rule

__all__ = [
    "ATTRIBUTE",
    "ATTRIBUTE_FORM",
    "DATA_TYPE",
    "DATA_TYPE_FORM",
    "DIMENSION",
    "FILL_VALUE",
    "FILTER",
    "FILTER_MISSING",
    "LINK",
    "NAME",
    "NULL_SPACE",
    "UNLIMITED",
    "VIRTUAL",
]

_FORMAT = "https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html"
_NETCDF = "https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html"

LINK = rule(
    "hdf5/link",
    "each object of a file has one path: Zarr has no links",
    source=f"{_FORMAT}, Link Message",
    lenient="warning",
    strict="warning",
    closed="warning",
)
NAME = rule(
    "hdf5/name",
    "a node has a name that Zarr allows",
    source="https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#node-names",
    lenient="warning",
    strict="warning",
    closed="warning",
)
DATA_TYPE = rule(
    "hdf5/data-type",
    "elements have a data type of Zarr, which has none for references and sequences of any length",
    source=f"{_FORMAT}, Datatype Message",
    lenient="warning",
    strict="warning",
    closed="warning",
)
DATA_TYPE_FORM = rule(
    "hdf5/data-type-form",
    "a data type keeps everything that HDF5 states",
    source=f"{_FORMAT}, Datatype Message",
    lenient="note",
    strict="note",
    closed="note",
)
FILTER = rule(
    "hdf5/filter",
    "a filter has an equivalent codec of Zarr",
    source=f"{_FORMAT}, Filter Pipeline Message; the registry of filters, "
    "https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md",
    lenient="note",
    strict="note",
    closed="note",
)
FILTER_MISSING = rule(
    "hdf5/filter-missing",
    "chunks can be read with the installed filters",
    source="https://docs.h5py.org/en/stable/high/dataset.html#filter-pipeline",
    lenient="warning",
    strict="warning",
    closed="warning",
)
FILL_VALUE = rule(
    "hdf5/fill-value",
    "a fill value is defined, and Zarr can express it",
    source=f"{_FORMAT}, Fill Value Message",
    lenient="note",
    strict="note",
    closed="note",
)
NULL_SPACE = rule(
    "hdf5/null-dataspace",
    "a dataset has a shape; an empty one becomes an array without elements",
    source=f"{_FORMAT}, Dataspace Message",
    lenient="warning",
    strict="warning",
    closed="warning",
)
UNLIMITED = rule(
    "hdf5/unlimited-dimension",
    "an unlimited dimension has one length, that of the longest of its arrays; the others end in fill values",
    source=f"{_NETCDF}; https://docs.unidata.ucar.edu/nug/current/netcdf_data_model.html",
    lenient="note",
    strict="note",
    closed="note",
)
VIRTUAL = rule(
    "hdf5/virtual",
    "the sources of a virtual dataset exist; its elements are copied to the array",
    source="https://docs.h5py.org/en/stable/vds.html",
    lenient="warning",
    strict="warning",
    closed="warning",
)
ATTRIBUTE = rule(
    "hdf5/attribute",
    "JSON supports the value of an attribute; references and opaque bytes are dropped",
    source=f"{_FORMAT}, Attribute Message",
    lenient="warning",
    strict="warning",
    closed="warning",
)
ATTRIBUTE_FORM = rule(
    "hdf5/attribute-form",
    "an attribute keeps its data type",
    source=f"{_FORMAT}, Attribute Message",
    lenient="note",
    strict="note",
    closed="note",
)
DIMENSION = rule(
    "hdf5/dimension",
    "a dimension has one scale, and an array of its length",
    source=f"{_NETCDF}; https://docs.h5py.org/en/stable/high/dims.html",
    lenient="warning",
    strict="warning",
    closed="warning",
)
