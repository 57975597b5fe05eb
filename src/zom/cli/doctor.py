"""`zom doctor`: show versions of Python, zom and related packages, and report missing or broken ones.

It imports none of those packages, so it works if they are missing. Packages that extend zom are imported
if zom works, to report those that fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.printing import say, say_data
from zom.count import count_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

__all__ = ["BAD", "Bad", "advice", "declare", "run"]

_NEEDED = (
    "pydantic", "pydantic-core", "numpy", "numcodecs", "jsonschema", "google-crc32c", "deflate", "typing-extensions",
)  # fmt: skip
"""Packages that zom requires."""

_OPTIONAL = {
    "zstandard": ("fast", "quicker zstd"),
    "jsonschema-rs": ("fast", "quicker zom schema check"),
    "ml_dtypes": ("codecs", "bfloat16, float8 and other data types of ml_dtypes"),
    "msgpack": ("codecs", "the v2 codec msgpack2"),
    "pcodec": ("codecs", "the codec pcodec"),
    "zfpy": ("codecs", "the codec zfpy"),
    "obstore": ("cloud", "stores at s3://, gs:// and az://"),
    "fsspec": ("fsspec", "fsspec file systems as stores"),
    "zarr": ("zarr", "zarr-python stores, both ways"),
    "pyarrow": ("parquet", "kerchunk references in Parquet"),
    "icechunk": ("icechunk", "icechunk sessions as stores"),
    "xarray": ("xarray", "xarray datasets, both ways"),
    "dask": ("dask", "dask arrays, both ways"),
    "distributed": ("dask", "work on a dask cluster"),
    "h5py": ("hdf5", "HDF5 and netCDF-4 files as stores"),
    "cf-units": ("cf", "CF rules on units"),
    "pyyaml": ("yaml", "declarations in YAML"),
}
"""Optional packages: the extra of zom that installs each, and what it provides."""


_GROUPS = ("codecs", "dtypes", "chunk_grids", "chunk_key_encodings", "stores", "conventions")
"""Groups of entry points, as in `zom.codecs`, through which packages add extensions."""


class Bad(NamedTuple):
    """A range of versions of a package with a known fault."""

    package: str
    first: str
    """The first bad version; empty for all before `end`."""
    end: str
    """The first good version after them; empty if unknown."""
    why: str
    do: str


BAD = (
    Bad(
        "numcodecs",
        "",
        "0.16.2",
        "it can't read zstd frames that don't state their size",
        "install 0.16.2 or newer",
    ),
    Bad(
        "numcodecs",
        "0.17.0",
        "0.17.1",
        "zom does not support it",
        "install another version: numcodecs!=0.17.0",
    ),
    Bad("zfpy", "1.0.1.post0", "", "numcodecs can't read its version", "pip install zfpy==1.0.1"),
    Bad("numpy", "", "2.0", "zom needs its type for strings", "install numpy 2 or newer"),
    Bad("pydantic", "", "2.12", "zom needs a newer one", "install pydantic 2.12 or newer"),
)
"""Known bad versions."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Print the versions; return FINDINGS for bad versions, missing requirements and failing extensions."""
    from platform import machine, platform, python_implementation, python_version  # noqa: PLC0415 - slow to import

    from zom import __version__  # noqa: PLC0415 - as above

    needed, optional = ({name: _version(name) for name in names} for names in (_NEEDED, _OPTIONAL))
    system = {
        "zom": __version__,
        "python": f"{python_implementation()} {python_version()}",
        "platform": f"{platform()} {machine()}",
    }
    extensions = _extensions()
    problems = advice({**needed, **optional})
    if extensions and None not in needed.values():
        problems += _failures()
    if arguments.format == "json":
        from json import dumps  # noqa: PLC0415 - zom's own writer needs packages that may be missing

        gives = {name: _gift(name) for name, version in optional.items() if version is None}
        facts = {**system, "needed": needed, "optional": optional, "not_installed": gives}
        say_data(dumps({**facts, "extensions": extensions, "problems": problems}, indent=2))
    else:
        for name, text in system.items():
            say(f"{name:<18}  {text}")
        for name, version in {**needed, **optional}.items():
            say(
                f"{name:<18}  {version or ('missing' if name in needed else f'not installed: {_gift(name)}')}"
            )
        for package, groups in extensions.items():
            told = "; ".join(f"{group} {', '.join(names)}" for group, names in groups.items())
            say(f"{package:<18}  extends zom: {told}")
        for problem in problems:
            say(f"bad: {problem}")
        count = count_of(len(problems), "problem")
        say(count if problems else "no known problems")
    return FINDINGS if problems else CLEAN


def _gift(package: str) -> str:
    """What an optional package would provide, and how to install it."""
    extra, gives = _OPTIONAL[package]
    return f"it adds {gives}; pip install 'zom[{extra}]'"


def _extensions() -> dict[str, dict[str, list[str]]]:
    """The extensions of each package, by name and version: the names in each group of entry points."""
    from zom.plugins import entry_points_of, package_of  # noqa: PLC0415 - slow to import

    found: dict[str, dict[str, list[str]]] = {}
    for group in _GROUPS:
        for point in entry_points_of(f"zom.{group}"):
            found.setdefault(package_of(point), {}).setdefault(group, []).append(point.name)
    return found


def _failures() -> list[str]:
    """The errors of extensions that fail to load, found by loading all of them."""
    import warnings  # noqa: PLC0415 - only where there are some

    from zom.errors import PluginWarning  # noqa: PLC0415 - as above
    from zom.hierarchy.plugins import load_extensions  # noqa: PLC0415 - as above

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", PluginWarning)
        load_extensions()
    return [str(each.message) for each in told if issubclass(each.category, PluginWarning)]


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to import

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def advice(versions: Mapping[str, str | None]) -> list[str]:
    """Known problems of these versions, with their fixes.

    >>> advice({"numcodecs": "0.17.0"})
    ['numcodecs 0.17.0: zom does not support it; install another version: numcodecs!=0.17.0']
    """
    found = [
        f"{name}: zom needs it; pip install {name}"
        for name in _NEEDED
        if name in versions and versions[name] is None
    ]
    for bad in BAD:
        version = versions.get(bad.package)
        if version is not None and _is_between(version, bad.first, bad.end):
            found.append(f"{bad.package} {version}: {bad.why}; {bad.do}")
    return found


def _is_between(version: str, first: str, end: str) -> bool:
    """Whether a version is at least `first` and below `end`; an empty bound doesn't count.

    >>> _is_between("1.0.1", "1.0.1.post0", ""), _is_between("0.16.10", "", "0.16.2"), _is_between("3.0.0", "3.0.0", "3.0.3")
    (False, False, True)
    """
    return (not first or _key(version) >= _key(first)) and (not end or _key(version) < _key(end))


def _key(version: str) -> tuple[int, ...]:
    """The numbers of a version; the last place is for those after `post`."""
    import re  # noqa: PLC0415 - slow to import

    plain = version.partition("+")[0]
    release, _, post = plain.partition(".post")
    numbers = [int(part) for part in re.findall(r"\d+", re.split(r"[a-z]", release)[0])]
    return (*numbers, *[0] * (4 - len(numbers)), int(post) + 1 if post.isdecimal() else 0)
