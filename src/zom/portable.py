"""Names that are valid here but not everywhere: reserved by other systems, used by documents, or twins.

A hierarchy outlives its store. These are warnings at the levels `strict` and `closed`; a plan for a store
that can't hold such a name reports a conflict.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zom.paths import collisions, windows_reserved
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.paths import FormatName

__all__ = ["TWINS", "is_document_name", "is_own_name", "portable_faults", "twin_faults"]

RESERVED: Final = rule(
    "name/reserved",
    "a node name can be the name of a file on every system",
    source="Microsoft, Naming Files, Paths, and Namespaces; POSIX.1-2017, limits.h: NAME_MAX",
    lenient=None,
    strict="warning",
    closed="warning",
)
DOCUMENT: Final = rule(
    "name/document",
    "a node is not named like a document of a format, or a file of zom",
    source="Zarr v3, File system store: a key is a path; a directory can't have the name of an expected file",
    lenient=None,
    strict="warning",
    closed="warning",
)
TWINS: Final = rule(
    "name/twins",
    "the names in a group differ by more than case and Unicode normal form",
    source="Unicode 3.13, canonical caseless matching: how macOS and Windows compare file names",
    lenient=None,
    strict="warning",
    closed="warning",
)

_EITHER: Final = re.compile(r"\A(?:zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata)\Z")
_DOCUMENTS: Final[Mapping[FormatName, re.Pattern[str]]] = {
    "v2": _EITHER,
    "v3": _EITHER,
    "draft": re.compile(r"(?:\A|\.)(?:array|group)\.json\Z|zarr\.json\Z"),
}
_OWN: Final = (".zom.", ".zom-")
_NAME_BYTES: Final = 255


def is_document_name(name: str, form: FormatName) -> bool:
    """Whether readers may look for a document at a directory of that name.

    >>> is_document_name(".zarray", "v3"), is_document_name("a.array.json", "draft")
    (True, True)
    """
    return _DOCUMENTS[form].search(name) is not None


def is_own_name(name: str) -> bool:
    """Whether zom gives such names to its own files.

    >>> is_own_name(".zom.journal"), is_own_name("zom")
    (True, False)
    """
    return name.startswith(_OWN)


def portable_faults(name: str, form: FormatName, faults: list[Fault], path: Path = ()) -> None:
    """Add to `faults` the reasons why a node of that name may not work on every system.

    >>> portable_faults("aux", "v3", faults := []); faults[0].found
    '"aux"'
    """
    if is_document_name(name, form):
        faults.append(Fault(DOCUMENT, path, "a name that isn't a document's", show(name), _RENAME))
    elif is_own_name(name):
        faults.append(
            Fault(DOCUMENT, path, "a name that zom doesn't use for its own files", show(name), _RENAME)
        )
    if windows_reserved(name):
        wanted = "a name that Windows doesn't reserve"
        faults.append(Fault(RESERVED, path, wanted, show(name), _RENAME))
    if len(name) * 4 > _NAME_BYTES:
        length = len(name.encode(errors="surrogatepass"))
        if length > _NAME_BYTES:
            wanted = f"a name of at most {_NAME_BYTES} bytes"
            faults.append(Fault(RESERVED, path, wanted, f"a name of {length} bytes", _RENAME))


_RENAME: Final = "choose another name"


def twin_faults(names: Iterable[str]) -> Iterator[tuple[str, Fault]]:
    """The names that are one file with an earlier one if case and Unicode form are ignored.

    >>> [(name, fault.found) for name, fault in twin_faults(["Data", "data"])]
    [('data', '"data" beside "Data"')]
    """
    for first, later in collisions(names):
        wanted = "names that differ by more than case and Unicode form"
        yield later, Fault(TWINS, (), wanted, f"{show(later)} beside {show(first)}", _RENAME)
