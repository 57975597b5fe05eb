"""Tries directories, zip and SQLite files on file systems that programs make (FUSE), where these programs are installed.

    python tests/mounts/check.py

On each of them runs the suite of stores, and threads and processes that each have a store of their own change parts of one chunk:
no change may be lost. What can't be mounted here is skipped, and says why.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

import zom

PROJECT = Path(__file__).parent.parent.parent
SUITE = ["tests/stores/test_suite.py", "-k", "LocalStore or ZipStore or SQLiteStore"]
WORKERS, COUNT = 4, 400


def mount(name: str, source: Path, at: Path) -> None:
    """Mount `source` at `at`; a CalledProcessError where that can't be done."""
    if name == "gocryptfs":
        secret = source.parent / "secret"
        secret.write_text("secret\n", encoding="utf-8")
        run("gocryptfs", "-q", "-init", "-passfile", secret, source)
        run("gocryptfs", "-q", "-passfile", secret, source, at)
    elif name == "rclone":
        # Values are kept where they can be read again, and sent on meanwhile.
        kept = source.parent / "kept"
        run("rclone", "mount", source, at, "--daemon", "--vfs-cache-mode", "full", "--cache-dir", kept)
    else:
        run(name, source, at)


def run(*command: object) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise OSError(" ".join((done.stderr or done.stdout).split())[-200:])


def update(folder: Path, first: int) -> None:
    array = zom.open_array(folder, mode="r+")
    for number in range(first, COUNT, WORKERS):
        array[number] = number


def lost(folder: Path) -> int:
    """How many changes of one chunk, of threads and of processes, were lost."""
    missing = 0
    for number, kind in enumerate((threading.Thread, multiprocessing.get_context("fork").Process)):
        place = folder / str(number)
        zom.create_array(place, data=np.zeros(COUNT, "i2"), chunks=(COUNT,))
        workers = [kind(target=update, args=(place, first)) for first in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(300)
        missing += int((zom.open_array(place)[...] != np.arange(COUNT)).sum())
    return missing


def check(name: str, folder: Path) -> int:
    """What is wrong on one kind of mount; 0 for nothing."""
    source, at = folder / "source", folder / "at"
    source.mkdir(parents=True)
    at.mkdir()
    try:
        mount(name, source, at)
    except OSError as cause:
        print(f"{name}: skipped: it can't be mounted here: {cause}")
        return 0
    try:
        missing = lost(at / "counted")
        print(f"{name}: {missing} of {2 * COUNT} changes lost")
        if name == "rclone":
            return missing  # it refuses to remove directories of which it has not sent everything
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--basetemp={at / 'tmp'}",
            *SUITE,
        ]
        return missing + subprocess.run(command, cwd=PROJECT, check=False).returncode
    finally:
        run("fusermount" if shutil.which("fusermount") else "fusermount3", "-uz", at)


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        for name in ("gocryptfs", "rclone", "bindfs"):
            if not shutil.which(name) or not os.access("/dev/fuse", os.R_OK | os.W_OK):
                print(
                    f"{name}: skipped: "
                    + ("there is no FUSE here" if shutil.which(name) else "it is not installed")
                )
                continue
            wrong += check(name, Path(temporary, name))
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
