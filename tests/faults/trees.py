"""Directories as values: all files of a tree with their bytes, put back as often as they are needed."""

from __future__ import annotations

import hashlib
import os
import shutil

TEMPORARY = ".zom-"
"""How the names of temporary files begin, which are random."""


def is_hidden(path):
    """Whether zom hides a file from every listing: it is in a hidden directory, a temporary one, or that of a lock."""
    return any(name.startswith(TEMPORARY) for name in path.split("/")) or path.endswith(".__lock")


def snapshot(folder):
    """The bytes of every file below `folder` by its path there; None for a directory that is empty."""
    found = {}
    todo = [""]
    while todo:
        inner = todo.pop()
        here = os.path.join(folder, inner) if inner else str(folder)
        empty = True
        for entry in os.scandir(here):
            empty = False
            path = f"{inner}/{entry.name}" if inner else entry.name
            if entry.is_dir(follow_symlinks=False):
                todo.append(path)
            elif entry.is_symlink():
                found[path] = os.fsencode(os.readlink(entry.path))
            else:
                with open(entry.path, "rb") as file:
                    found[path] = file.read()
        if empty and inner:
            found[inner] = None
    return found


def restore(tree, folder):
    """Make `folder` hold `tree`, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    made = {str(folder)}
    for path, value in tree.items():
        place = os.path.join(folder, path)
        above = place if value is None else os.path.dirname(place)
        if above not in made:
            os.makedirs(above, exist_ok=True)
            made.add(above)
        if value is not None:
            with open(place, "wb") as file:
                file.write(value)


def digest(tree):
    """What tells trees apart: hidden files count by their bytes, for their names are random."""
    made = hashlib.sha256()
    parts = []
    for path, value in tree.items():
        names = path.split("/")
        shown = "/".join(TEMPORARY if name.startswith(TEMPORARY) else name for name in names)
        parts.append((shown, b"\0directory" if value is None else value))
    for path, value in sorted(parts):
        made.update(f"{len(path)} {len(value)} {path}".encode())
        made.update(value)
    return made.digest()


def files(tree):
    """The files that are seen: hidden ones and empty directories are left out."""
    return {path: value for path, value in tree.items() if value is not None and not is_hidden(path)}
