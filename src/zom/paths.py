"""Node paths, node names and store keys: the grammar of each, and what it refuses.

Node names: Zarr v3, section "Node names" (3.1); the draft of v3, section "Node names"; Zarr v2, section
"Logical storage paths". A path of zom is "/" for the root and "/a/b" below it, in every format. A key
is what a store is asked for: names with "/" between them, never a way out of the store.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal

from zom.errors import PathError
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "DRAFT_NAME_PATTERN",
    "V2_NAME_PATTERN",
    "V3_NAME_PATTERN",
    "check_key",
    "check_prefix",
    "collisions",
    "join",
    "name_faults",
    "name_of",
    "parent",
    "parse_path",
    "parse_v2_path",
    "windows_reserved",
]

Form = Literal["v2", "v3", "draft"]

# The patterns are read alike by ECMA-262 and by Python: "(?!\n)" is for Python, whose "$" also
# matches before a newline that ends the text. Half characters are left out: ECMA-262 without its
# "u" flag takes every emoji for two of them.
V3_NAME_PATTERN = r"^(?!__)(?!\.+$)(?!zarr\.json$)[^/\u0000-\u001f\u007f-\u009f]+(?!\n)$"
"""The names that a v3 node may have, as a pattern of JSON Schema."""
V2_NAME_PATTERN = r"^(?!\.\.?$)(?!\.z(?:array|group|attrs|metadata)$)[^/\\\u0000-\u001f\u007f-\u009f]+(?!\n)$"
"""The names that a v2 node may have, as a pattern of JSON Schema."""
DRAFT_NAME_PATTERN = r"^(?!\.+$)[A-Za-z0-9._-]+(?!\n)$"
"""The names that a node of the draft may have, as a pattern of JSON Schema."""

V3_NAME = rule(
    "v3/node-name",
    'a node name is not empty, holds no "/" and no control characters, is not made of periods only, '
    'does not start with "__" and is not "zarr.json"',
    source="Zarr v3.1, Node names; control characters: no file system or tool keeps them apart",
    schema=True,
)
V2_NAME = rule(
    "v2/node-name",
    'a node name is not empty, not "." or "..", holds no slash, backslash or control character, and '
    "is no key of the format itself",
    source="Zarr v2, Logical storage paths",
    schema=True,
)
DRAFT_NAME = rule(
    "draft/node-name",
    "a node name has only the characters a-z, A-Z, 0-9, -, _ and ., and not periods only",
    source="Zarr v3 draft, Node names",
    schema=True,
)
V2_ASCII = rule(
    "v2/ascii-name",
    "a node name has only ASCII characters",
    source="Zarr v2, Logical storage paths: a logical path is simply an ASCII string",
    lenient=None,
    strict="warning",
    closed="warning",
)
WHOLE = rule(
    "path/surrogate",
    "a node name is whole Unicode text",
    source="RFC 7493, section 2.1: names without a surrogate's partner can't be encoded",
)

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_V2_OWN = (".zarray", ".zgroup", ".zattrs", ".zmetadata")

# What each format refuses: whether a name is refused, and what it should be instead.
_Refusal = tuple["Callable[[str], object]", str]
_NOT_EMPTY: _Refusal = (lambda name: not name, "a name that is not empty")
_NO_SLASH: _Refusal = (lambda name: "/" in name, 'a name without "/"')
_NO_CONTROL: _Refusal = (_CONTROL.search, "a name without control characters")
_NOT_PERIODS: _Refusal = (lambda name: name and not name.strip("."), "a name of more than periods")
_V3: tuple[_Refusal, ...] = (
    _NOT_EMPTY,
    _NO_SLASH,
    _NO_CONTROL,
    _NOT_PERIODS,
    (lambda name: name.startswith("__"), 'a name that does not start with "__"'),
    (lambda name: name == "zarr.json", 'another name than "zarr.json", the key of the document itself'),
)
_V2: tuple[_Refusal, ...] = (
    _NOT_EMPTY,
    _NO_SLASH,
    (lambda name: "\\" in name, "a name without backslashes, which v2 reads as slashes"),
    _NO_CONTROL,
    (lambda name: name in {".", ".."}, 'another name than "." and ".."'),
    (lambda name: name in _V2_OWN, f"another name than {', '.join(_V2_OWN)}, keys of the format itself"),
)
_DRAFT: tuple[_Refusal, ...] = (
    _NOT_EMPTY,
    (re.compile("[^A-Za-z0-9._-]").search, "a name of the characters a-z, A-Z, 0-9, -, _ and ."),
    _NOT_PERIODS,
)
_NAMES = {
    "v3": (V3_NAME, re.compile(V3_NAME_PATTERN), _V3),
    "v2": (V2_NAME, re.compile(V2_NAME_PATTERN), _V2),
    "draft": (DRAFT_NAME, re.compile(DRAFT_NAME_PATTERN), _DRAFT),
}


def name_faults(name: str, form: Form, faults: list[Fault], path: tuple[str | int, ...] = ()) -> None:
    """Add to `faults` what forbids `name` to a node of the format `form`; `path` leads to the node.

    Names outside ASCII are allowed in v3, and forbidden in v2 by a sentence that nobody follows: a
    warning at the strict level.

    >>> name_faults("__x", "v3", faults := [], ("members", "__x")); faults[0].expected
    'a name that does not start with "__"'
    """
    broken, pattern, refusals = _NAMES[form]
    matches = pattern.match(name)
    if matches and name.isascii():
        return
    if not matches:
        faults.extend(
            Fault(broken, path, expected, show(name)) for refused, expected in refusals if refused(name)
        )
    if form == "draft":
        return
    if _SURROGATE.search(name):
        faults.append(Fault(WHOLE, path, "a name without lone surrogates", show(name)))
    elif form == "v2" and not name.isascii():
        faults.append(Fault(V2_ASCII, path, "a name of ASCII characters", show(name)))


def parse_path(path: str) -> tuple[str, ...]:
    """The names along a node path, from the root; one leading and one trailing slash don't count.

    >>> parse_path("/image/0"), parse_path("image/0/"), parse_path("/")
    (('image', '0'), ('image', '0'), ())
    """
    if path in {"", "/"}:
        return ()
    names = tuple(path.removeprefix("/").removesuffix("/").split("/"))
    for name in names:
        if name in {"", ".", ".."} or "\0" in name:
            found = "an empty name" if not name else repr(name)
            raise PathError(f"{path!r}: expected a node path such as '/image/0', found {found} in it")
    return names


def join(names: Iterable[str]) -> str:
    """The path along `names` from the root, as they stand: names with faults have paths too.

    >>> join(["image", "0"]), join([])
    ('/image/0', '/')
    """
    return "/" + "/".join(names)


def parent(path: str) -> str:
    """The path of the group that holds the node at `path`.

    >>> parent("/image/0"), parent("/image")
    ('/image', '/')
    """
    names = parse_path(path)
    if not names:
        raise PathError("'/': the root has no parent")
    return join(names[:-1])


def name_of(path: str) -> str:
    """The name of the node at `path`: the root's is empty.

    >>> name_of("/image/0"), name_of("/")
    ('0', '')
    """
    return parse_path(path)[-1] if path not in {"", "/"} else ""


def parse_v2_path(path: str) -> str:
    r"""A logical path of v2, normalized as that specification says: without slashes at its ends.

    >>> parse_v2_path("\\image//0/")
    'image/0'
    """
    names = [name for name in path.replace("\\", "/").split("/") if name]
    for name in names:
        if name in {".", ".."} or "\0" in name:
            raise PathError(f"{path!r}: expected a logical path such as 'image/0', found {name!r} in it")
    return "/".join(names)


_SEGMENT = r"(?!\.\.?(?:/|\Z)|\.zom-)[^/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_KEY = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*\Z")
_KEY_REFUSALS: tuple[_Refusal, ...] = (
    (lambda key: not key, "an empty one"),
    (lambda key: key.startswith("/"), "a slash before it"),
    (lambda key: key.endswith("/"), "a slash after it"),
    (lambda key: "//" in key, "an empty name in it"),
    (lambda key: "\\" in key, "a backslash in it"),
    (_CONTROL.search, "a control character in it"),
    (_SURROGATE.search, "a lone surrogate in it"),
    (lambda key: {".", ".."} & set(key.split("/")), "'.' or '..' in it"),
    (
        lambda key: any(name.startswith(".zom-") for name in key.split("/")),
        "a name that begins with '.zom-', as the temporary files of zom do,",
    ),
)


def check_key(key: str) -> str:
    """`key`, which is one: PathError where it is empty, or could lead out of a store.

    >>> check_key("image/0/zarr.json")
    'image/0/zarr.json'
    """
    if _KEY.match(key):
        return key
    found = next(found for refused, found in _KEY_REFUSALS if refused(key))
    raise PathError(f"{key!r}: expected a store key such as 'image/zarr.json', found {found}")


def check_prefix(prefix: str) -> str:
    """`prefix`, which is one: empty, or a key with a slash after it.

    >>> check_prefix("image/")
    'image/'
    """
    if prefix and not prefix.endswith("/"):
        raise PathError(f"{prefix!r}: expected a prefix such as 'image/', found no slash after it")
    if prefix:
        check_key(prefix[:-1])
    return prefix


def collisions(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that are one file where case or Unicode normalization doesn't count.

    Each later name stands beside the first that it collides with: canonical caseless matching, as
    Unicode 3.13 defines it; macOS and Windows keep files in nearly that way.

    >>> collisions(["Data", "time", "data", "DATA"])
    [('Data', 'data'), ('Data', 'DATA')]
    """
    first: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for name in dict.fromkeys(names):
        folded = name.casefold() if name.isascii() else _canonical(name)
        earlier = first.setdefault(folded, name)
        if earlier != name:
            found.append((earlier, name))
    return found


def _canonical(name: str) -> str:
    normalize = unicodedata.normalize
    return normalize("NFD", normalize("NFD", name).casefold())


_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"{port}{digit}" for port in ("COM", "LPT") for digit in "123456789\xb9\xb2\xb3"}
)
_NOT_ON_WINDOWS = re.compile(r'[\x00-\x1f"*:<>?|/\\]')


def windows_reserved(name: str) -> bool:
    """Whether Windows can't hold a file of that name: it means a device, or loses its last character.

    >>> windows_reserved("aux.zarr"), windows_reserved("data "), windows_reserved("data")
    (True, True, False)
    """
    if name.endswith((".", " ")):
        return name not in {".", ".."}
    if _NOT_ON_WINDOWS.search(name):
        return True
    return name.partition(".")[0].rstrip(" ").upper() in _DEVICES
