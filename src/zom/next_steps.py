"""Next steps: what a user can do about a failure whose message doesn't say it."""

from __future__ import annotations

import errno
import re
from typing import Final

from zom.reason import reason_of_number

__all__ = ["node_of", "step_of"]

_DENIED = "check the permissions of it and of the directories above it"
_FULL = "free space, then try again"
_NETWORK = "check that the address is right and reachable, and that you have access"
_FILES = "close files, or raise the limit of open files (ulimit -n)"
_BY_CODE: Final = {
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: "choose a writable place",
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: "choose a smaller chunk, or raise the limit of file sizes (ulimit -f)",
    errno.EIO: "check the disk, then try again",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path: expected a directory, found a file",
    errno.EISDIR: "check the path: expected a file, found a directory",
    errno.ENAMETOOLONG: "choose shorter names",
    errno.ELOOP: "check the symbolic links on the way to it",
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: "free memory, or choose smaller chunks",
    errno.ESTALE: "open the store again",
    errno.ETIMEDOUT: _NETWORK,
    errno.ECONNREFUSED: _NETWORK,
    errno.ECONNRESET: _NETWORK,
    errno.EHOSTUNREACH: _NETWORK,
    errno.ENETUNREACH: _NETWORK,
}
_BY_REASON: Final = {
    **{reason_of_number(code): step for code, step in _BY_CODE.items()},
    "the store is closed": "open it again",
    "a symbolic link that leads to a directory above it": "remove the link",
    "no such file": "check the path",
    "there is no such file or directory": "check the path",
}
_SAYS_IT = re.compile(r"; |\bzom\.[a-z]|: (?:open|pass|use) |\Aexpected (?!.*, (?:found|got) )", re.DOTALL)
"""Matches reasons that include the next step; so does an expectation of an argument."""

_DOCUMENTS = (".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json", ".zom.journal", ".zom.copy")
_DRAFT = re.compile(r"meta/(?!root[/.])(.*)\.(?:array|group)(?:\.json)?\Z", re.DOTALL)
"""Documents of the draft. Below `meta/root`, two layouts disagree on the node, so none is named."""


def step_of(reason: str, store: str, otherwise: str = "") -> str:
    """What to do about `reason`, or else `otherwise`; empty if the reason says it.

    >>> step_of("permission denied", "data.zarr")
    'check the permissions of it and of the directories above it'
    >>> step_of("others change it again and again; read it again", "data.zarr")
    ''
    """
    known = _BY_REASON.get(reason)
    if known is not None:
        return known
    if _SAYS_IT.search(reason):
        return ""
    if otherwise:
        return otherwise
    if "://" in store and not store.startswith(("memory:", "file:")):
        return _NETWORK
    return "check that the place is right, and the data complete"


def node_of(key: str) -> str:
    """The path of the node whose document is at `key`; empty for other keys.

    >>> node_of("a/b/zarr.json"), node_of(".zgroup"), node_of("meta/a/b.array.json"), node_of("a/c/0")
    ('/a/b', '/', '/a/b', '')
    """
    above, _, name = key.rpartition("/")
    if name in _DOCUMENTS:
        return f"/{above}"
    found = _DRAFT.match(key)
    return f"/{found[1]}" if found else ""
