"""The verbs of the command, in the order of its help; each is a module of this package, imported on use.

Their descriptions repeat the docstrings of the modules, which Python drops with -OO.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VERBS"]

VERBS: Final[Mapping[str, str]] = {
    "demo": "run zom's main job on a small climate dataset",
    "tree": "show a hierarchy as a tree, one line per node",
    "info": "show one node in full: type, shape, chunks, codecs, attributes",
    "stats": "count the stored chunks and bytes of each array",
    "read": "print the hierarchy in a store as one document",
    "validate": "report every problem of documents and stores: Zarr metadata, conventions, stored data",
    "diff": "compare two hierarchies",
    "declare": "write a store or document as a short declaration that you can edit and apply",
    "plan": "show the changes that would make a store match a hierarchy",
    "create": "create a hierarchy in a store, all or nothing",
    "copy": "copy a hierarchy to another store, optionally rechunked",
    "convert": "convert a hierarchy document to another format, and report every loss",
    "migrate": "convert a store to another format, and keep chunks that stay valid",
    "pyramid": "create lower resolutions of an image",
    "consolidate": "write or remove consolidated metadata",
    "delete": "delete a node and everything below it",
    "rename": "move a node and everything below it to another path",
    "resize": "change the shape of an array",
    "repair": "finish or undo interrupted changes of a store",
    "checksum": "print a digest of all keys and values of a store",
    "serve": "serve a store over HTTP on this machine, read-only, for browsers and viewers",
    "schema": "list, export, infer and check JSON Schemas",
    "codegen": "generate typed models of a hierarchy in Python or TypeScript",
    "explain": "explain a problem code: its rule, the source of the rule, the fix",
    "rules": "list every rule that zom checks, by code",
    "doctor": "show versions of Python, zom and related packages, and report missing or broken ones",
    "completion": "print a completion script for bash, zsh or fish",
    "dingus": "validate OME-Zarr for the runner of OME's conformance suite, as one line of JSON",
}
"""The description of each verb."""
