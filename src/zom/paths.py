"""Node paths, node names and store keys: the grammar of each, and the errors of invalid ones.

Node names: Zarr v3, section "Node names" (3.1); the draft of v3, section "Node names"; Zarr v2, section
"Logical storage paths". A path in zom is "/" for the root and "/a/b" below it, in every format. A key
names a value in a store: names with "/" between them, which never lead out of the store.
"""

from __future__ import annotations

import os
import re
import unicodedata
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

from zom.errors import PathError
from zom.patterns import compiled_later
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zom.problems import Level, Rule

__all__ = [
    "DOCUMENT_NAMES",
    "DRAFT_NAME",
    "DRAFT_NAME_PATTERN",
    "PATH_PART",
    "V2_NAME",
    "V2_NAME_PATTERN",
    "V3_NAME",
    "V3_NAME_PATTERN",
    "WHOLE",
    "caseless",
    "check_key",
    "check_stored_key",
    "check_stored_prefix",
    "collisions",
    "document_name_faults",
    "is_bytes",
    "is_document",
    "is_new_key",
    "is_stored_key",
    "join",
    "name_faults",
    "name_of",
    "parent",
    "parse_path",
    "windows_reserved",
    "windows_reserved_in",
]

FormatName = Literal["v2", "v3", "draft"]

# ECMA-262 and Python read these patterns alike: "(?!\n)" is for Python, whose "$" also matches before a
# newline at the end of the text. Lone surrogates are not covered: ECMA-262 without its "u" flag takes
# every emoji for two of them.
V3_NAME_PATTERN = r"^(?!__)(?!\.+$)(?!zarr\.json$)[^/\u0000-\u001f\u007f-\u009f]+(?!\n)$"
"""Valid names of v3 nodes, as a pattern of JSON Schema."""
V2_NAME_PATTERN = r"^(?!\.\.?$)(?!\.z(?:array|group|attrs|metadata)$)[^/\\\u0000-\u001f\u007f-\u009f]+(?!\n)$"
"""Valid names of v2 nodes, as a pattern of JSON Schema."""
DRAFT_NAME_PATTERN = r"^(?!\.+$)[A-Za-z0-9._-]+(?!\n)$"
"""Valid names of draft nodes, as a pattern of JSON Schema."""

V3_NAME = rule(
    "v3/node-name",
    'a node name is not empty, has no "/" and no control characters, does not consist only of periods, '
    'does not start with "__" and is not "zarr.json"',
    source="Zarr v3.1, Node names; control characters: file systems and tools don't distinguish them",
    lenient="warning",
    schema=True,
)
V2_NAME = rule(
    "v2/node-name",
    'a node name is not empty, not "." or "..", has no slash, backslash or control character, and '
    "is not a key of the format itself",
    source="Zarr v2, Logical storage paths",
    lenient="warning",
    schema=True,
)
DRAFT_NAME = rule(
    "draft/node-name",
    "a node name has only the characters a-z, A-Z, 0-9, -, _ and ., and not only periods",
    source="Zarr v3 draft, Node names",
    lenient="warning",
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
    source="RFC 7493, section 2.1: names with lone surrogates can't be encoded",
    lenient="warning",
)
PATH_PART = rule(
    "path/part",
    'a node name can be part of a path: it is not empty, has no "/", and is not "." or ".."',
    source="every format; at the levels strict and closed, the rule of the format reports it",
    strict=None,
    closed=None,
)

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_V2_OWN = (".zarray", ".zgroup", ".zattrs", ".zmetadata")
DOCUMENT_NAMES: Final = frozenset({"zarr.json", *_V2_OWN})
"""The last names of the keys of documents in v2 and v3, and of a draft's entry point."""


def is_document(key: str) -> bool:
    """Whether `key` is that of a document of v2 or v3, or of a draft's entry point.

    >>> is_document("a/zarr.json"), is_document(".zarray"), is_document("a/c/0")
    (True, True, False)
    """
    return key.rpartition("/")[2] in DOCUMENT_NAMES


# Refusals of each format: a test whether a name is refused, and what is expected instead.
_Refusal = tuple["Callable[[str], object]", str]
_NOT_EMPTY: _Refusal = (lambda name: not name, "a name that is not empty")
_NO_SLASH: _Refusal = (lambda name: "/" in name, 'a name without "/"')
_NO_CONTROL: _Refusal = (_CONTROL.search, "a name without control characters")
_NOT_PERIODS: _Refusal = (lambda name: name and not name.strip("."), "a name that is not only periods")
_V3: tuple[_Refusal, ...] = (
    _NOT_EMPTY,
    _NO_SLASH,
    _NO_CONTROL,
    _NOT_PERIODS,
    (lambda name: name.startswith("__"), 'a name that does not start with "__"'),
    (lambda name: name == "zarr.json", 'a name other than "zarr.json", the key of the document itself'),
)
_V2: tuple[_Refusal, ...] = (
    _NOT_EMPTY,
    _NO_SLASH,
    (lambda name: "\\" in name, "a name without backslashes, which v2 reads as slashes"),
    _NO_CONTROL,
    (lambda name: name in {".", ".."}, 'a name other than "." and ".."'),
    (lambda name: name in _V2_OWN, f"a name other than {', '.join(_V2_OWN)}, keys of the format itself"),
)
_DRAFT: tuple[_Refusal, ...] = (
    _NOT_EMPTY,
    (re.compile("[^A-Za-z0-9._-]").search, "a name of the characters a-z, A-Z, 0-9, -, _ and ."),
    _NOT_PERIODS,
)
_TextRule = tuple["Callable[[str], object]", "Rule", str]
_IS_WHOLE: _TextRule = (_SURROGATE.search, WHOLE, "a name without lone surrogates")
_IS_ASCII: _TextRule = (lambda name: not name.isascii(), V2_ASCII, "a name of ASCII characters")


class _NameRules(NamedTuple):
    """The rules for names in one format."""

    rule: Rule
    pattern: re.Pattern[str]
    refusals: tuple[_Refusal, ...]
    """Refusals under that rule."""
    texts: tuple[_TextRule, ...]
    """Refusals of characters beyond ASCII; the first match is reported."""


_NAMES = {
    "v3": _NameRules(V3_NAME, re.compile(V3_NAME_PATTERN), _V3, (_IS_WHOLE,)),
    "v2": _NameRules(V2_NAME, re.compile(V2_NAME_PATTERN), _V2, (_IS_WHOLE, _IS_ASCII)),
    "draft": _NameRules(DRAFT_NAME, re.compile(DRAFT_NAME_PATTERN), _DRAFT, ()),
}


_PLAIN = re.compile("(?!__)[A-Za-z0-9_-]++\\Z")
"""Matches most names; no format refuses these."""


def name_faults(name: str, form: FormatName, faults: list[Fault], path: Path = ()) -> None:
    """Add to `faults` why a node of the format `form` can't have this name; `path` leads to the node.

    Names outside ASCII are valid in v3, and invalid in v2 by a sentence that no software follows: a warning
    at the strict level.

    >>> name_faults("__x", "v3", faults := [], ("members", "__x")); faults[0].expected
    'a name that does not start with "__"'
    """
    broken, pattern, refusals, texts = _NAMES[form]
    matches = pattern.match(name)
    if matches and name.isascii():
        return
    if not matches:
        faults.extend(
            Fault(broken, path, expected, show(name)) for refused, expected in refusals if refused(name)
        )
    for refused, rule_, expected in texts:
        if refused(name):
            faults.append(Fault(rule_, path, expected, show(name)))
            return


def document_name_faults(name: str, form: FormatName, level: Level, faults: list[Fault]) -> None:
    """Like `name_faults`, for a name in a document that is judged at `level`.

    Other software creates nodes with most names that a format forbids: at the lenient level, these are
    warnings, and only names that can't be a part of a path are errors.

    >>> document_name_faults("", "v3", "lenient", faults := []); faults[0].rule.code
    'path/part'
    """
    if _PLAIN.match(name):
        return
    if level == "lenient" and ("/" in name or name in {"", ".", ".."} or "\0" in name):
        faults.append(Fault(PATH_PART, (), "a name that can be part of a path", show(name)))
        return
    name_faults(name, form, faults)


def parse_path(path: str) -> tuple[str, ...]:
    """The names along a node path, from the root; one leading and one trailing slash are ignored.

    >>> parse_path("/image/0"), parse_path("image/0/"), parse_path("/")
    (('image', '0'), ('image', '0'), ())
    """
    if not isinstance(cast("object", path), str):
        raise TypeError(f"expected a node path such as '/image/0', found {path!r}")
    if path in {"", "/"}:
        return ()
    names = tuple(path.removeprefix("/").removesuffix("/").split("/"))
    for name in names:
        if name in {"", ".", ".."} or "\0" in name:
            found = "an empty name" if not name else repr(name)
            raise PathError(f"{path!r}: expected a node path such as '/image/0', found {found} in it")
    return names


def join(names: Iterable[str]) -> str:
    """The path along `names` from the root, without checks: invalid names have paths, too.

    >>> join(["image", "0"]), join([])
    ('/image/0', '/')
    """
    return "/" + "/".join(names)


def parent(path: str) -> str:
    """The path of the parent group of the node at `path`.

    >>> parent("/image/0"), parent("/image")
    ('/image', '/')
    """
    names = parse_path(path)
    if not names:
        raise PathError("'/': the root has no parent")
    return join(names[:-1])


def name_of(path: str) -> str:
    """The name of the node at `path`; empty for the root.

    >>> name_of("/image/0"), name_of("/")
    ('0', '')
    """
    return parse_path(path)[-1] if path not in {"", "/"} else ""


_SEGMENT = r"(?!\.\.?(?:/|\Z)|\.zom-)[^/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_KEY = compiled_later(rf"{_SEGMENT}(?:/{_SEGMENT})*\Z")
_STORED_SEGMENT = r"(?!\.\.?(?:/|\Z)|\.zom-)[^/\x00\ud800-\udc7f\udd00-\udfff]+"
_STORED_KEY = re.compile(rf"{_STORED_SEGMENT}(?:/{_STORED_SEGMENT})*\Z")
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_BYTES = re.compile("[\udc80-\udcff]")
_ON_WINDOWS: Final = os.sep == "\\"

_NO_PARTS: tuple[_Refusal, ...] = (
    (lambda key: not key, "an empty one"),
    (lambda key: key.startswith("/"), "a slash before it"),
    (lambda key: key.endswith("/"), "a slash after it"),
    (lambda key: "//" in key, "an empty name in it"),
)
_NO_WAY_OUT: tuple[_Refusal, ...] = (
    (lambda key: {".", ".."} & set(key.split("/")), "'.' or '..' in it"),
    (
        lambda key: any(name.startswith(".zom-") for name in key.split("/")),
        "a name that begins with '.zom-', like temporary files of zom,",
    ),
)
_KEY_REFUSALS: tuple[_Refusal, ...] = (
    *_NO_PARTS,
    (lambda key: "\\" in key, "a backslash in it"),
    (_CONTROL.search, "a control character in it"),
    (_SURROGATE.search, "a lone surrogate in it"),
    *_NO_WAY_OUT,
)
_STORED_KEY_REFUSALS: tuple[_Refusal, ...] = (
    *_NO_PARTS,
    (lambda key: "\0" in key, "a control character in it"),
    (_HALF.search, "a lone surrogate in it"),
    *_NO_WAY_OUT,
    (lambda key: not _stays_inside(key), "a backslash in it, which some systems read as a slash"),
    (lambda key: not _is_spelled_once(key), "escaped bytes that form whole characters"),
)


def check_key(key: str) -> str:
    """Return `key` if it is valid for new data; raise PathError if some store or system may not support it.

    >>> check_key("image/0/zarr.json")
    'image/0/zarr.json'
    """
    if _KEY.match(key):
        return key
    raise _no_key(key, _KEY_REFUSALS)


def is_new_key(key: str) -> bool:
    r"""Whether `check_key` accepts it.

    >>> is_new_key("a/b"), is_new_key("a\\\\b")
    (True, False)
    """
    return _KEY.match(key) is not None


def is_bytes(path: str) -> bool:
    r"""Whether a path has bytes that are not text, as `os.fsdecode` spells them.

    >>> is_bytes("/a\udcff"), is_bytes("/é")
    (True, False)
    """
    return _SURROGATE.search(path) is not None


def check_stored_key(key: str) -> str:
    r"""Return `key` if a store may hold it; raise PathError if it is empty, or could lead out of the store.

    Other software creates names that zom doesn't give to anything new: with control characters, with
    backslashes, and on local disks with bytes that are not UTF-8, as `os.fsdecode` spells them. They are keys
    like others, so that existing data can be read, changed, copied, renamed and deleted.

    >>> check_stored_key("a\nb/zarr.json"), check_stored_key("\udcff")
    ('a\nb/zarr.json', '\udcff')
    """
    inside = _STORED_KEY.match(key) and ("\\" not in key or _stays_inside(key))
    if inside and (key.isascii() or _is_spelled_once(key)):
        return key
    raise _no_key(key, _STORED_KEY_REFUSALS)


def is_stored_key(key: str) -> bool:
    """Whether `check_stored_key` accepts it; for keys found in a store that zom didn't write.

    >>> is_stored_key("a/b"), is_stored_key("a/../b")
    (True, False)
    """
    try:
        check_stored_key(key)
    except (PathError, TypeError):
        return False
    return True


def _no_key(key: str, refusals: tuple[_Refusal, ...]) -> PathError:
    found = next(found for refused, found in refusals if refused(key))
    return PathError(f"{key!r}: expected a store key such as 'image/zarr.json', found {found}")


def _stays_inside(key: str) -> bool:
    """Whether the key stays inside the store on a system that reads backslashes as slashes."""
    if "\\" not in key:
        return True
    if _ON_WINDOWS:  # pragma: no cover - tests run elsewhere
        return False
    parts = key.replace("\\", "/").split("/")
    return parts[0][1:] != ":" and not {"", ".", ".."}.intersection(parts)


def _is_spelled_once(key: str) -> bool:
    """Whether no other key spells the same bytes: bytes of whole characters must be spelled as these."""
    if not _BYTES.search(key):
        return True
    return key.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") == key


def check_stored_prefix(prefix: str) -> str:
    """Return `prefix` if it is valid: empty, or a stored key with a slash after it.

    >>> check_stored_prefix("a b/")
    'a b/'
    """
    if prefix and not prefix.endswith("/"):
        raise PathError(f"{prefix!r}: expected a prefix such as 'image/', found no slash after it")
    if prefix:
        check_stored_key(prefix[:-1])
    return prefix


def collisions(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that are one file if case and Unicode normalization are ignored.

    Each later name is paired with the first that it collides with. macOS and Windows compare nearly this way.

    >>> collisions(["Data", "time", "data", "DATA"])
    [('Data', 'data'), ('Data', 'DATA')]
    """
    first: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for name in dict.fromkeys(names):
        earlier = first.setdefault(caseless(name), name)
        if earlier != name:
            found.append((earlier, name))
    return found


def caseless(name: str) -> str:
    """A key of names that differ only in case or normalization: Unicode 3.13, canonical caseless matching.

    >>> caseless("Data") == caseless("DATA"), caseless("\u00c4") == caseless("a\u0308")
    (True, True)
    """
    if name.isascii():
        return name.casefold()
    normalize = unicodedata.normalize
    return normalize("NFD", normalize("NFD", name).casefold())


_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"{port}{digit}" for port in ("COM", "LPT") for digit in "123456789\xb9\xb2\xb3"}
)
_NOT_ON_WINDOWS = re.compile(r'[\x00-\x1f"*:<>?|/\\]')


def windows_reserved(name: str) -> bool:
    """Whether Windows refuses a file of that name, reads it as a device, or drops its last character.

    >>> windows_reserved("aux.zarr"), windows_reserved("data "), windows_reserved("data")
    (True, True, False)
    """
    if name.endswith((".", " ")):
        return name not in {".", ".."}
    if _NOT_ON_WINDOWS.search(name):
        return True
    return name.partition(".")[0].rstrip(" ").upper() in _DEVICES


def windows_reserved_in(key: str) -> str | None:
    """The first name in a key or prefix that Windows reserves, or None.

    >>> windows_reserved_in("a/con/b."), windows_reserved_in("a/b/")
    ('con', None)
    """
    return next((name for name in key.split("/") if windows_reserved(name)), None)
