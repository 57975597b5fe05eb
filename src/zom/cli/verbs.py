"""The verbs of the command, in the order of its help: each a module of this package that is loaded when it is called.

What they do is said here as well as in their modules: Python has no docstrings where it is run with -OO.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VERBS"]

VERBS: Final[Mapping[str, str]] = {
    "demo": "zom's main job on a small climate, from declaring to checking",
    "tree": "a hierarchy, one line for each node",
    "info": "one node in full: type, shape, chunks, codecs, attributes",
    "stats": "how many chunks of each array are stored, in how many bytes",
    "read": "the hierarchy in a store, as one document",
    "validate": "every problem of documents and stores: as Zarr, of the conventions they follow, of what is stored",
    "diff": "what differs between two hierarchies",
    "declare": "the shortest declaration of a store or a document, to be kept, changed and applied again",
    "plan": "what it takes to make a store hold a hierarchy",
    "create": "a hierarchy made real in a store, all or nothing",
    "copy": "a hierarchy copied to another store, rechunked where asked",
    "convert": "a hierarchy in another format, with every loss reported",
    "migrate": "a store in another format, its chunks kept where they are valid",
    "pyramid": "an image at several resolutions, each made of the one before",
    "consolidate": "consolidated metadata, written or dropped",
    "delete": "a node, and all below it, deleted",
    "rename": "a node, and all below it, moved to another path",
    "resize": "an array given another shape",
    "repair": "interrupted changes of a store, finished or undone",
    "checksum": "a digest of all keys and values of a store",
    "serve": "a store over HTTP on this machine, for browsers and viewers; nothing can be written",
    "schema": "JSON Schemas: listed, exported, inferred, and checked against",
    "codegen": "typed models of a hierarchy, in Python or TypeScript, that validate it and its like",
    "explain": "the sentence behind the code of a problem, where it stands, and what to do",
    "rules": "every rule that zom checks, by code: its own, then those of conventions",
    "doctor": "versions of Python, zom and the packages it works with, what is missing, and what is known to be bad",
    "completion": "what bash, zsh and fish need to complete the command",
    "dingus": "whether OME-Zarr is valid, as one line of JSON for the runner of OME's conformance suite",
}
"""What each verb does."""
