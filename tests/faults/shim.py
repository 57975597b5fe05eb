"""The shim of `faults.c`: built with the system's compiler, and steered from the process that it is loaded into."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("faults.c")

LOOK, READS, WRITES, MAKES, CHANGES, SYNCS, CLOSES, LOCKS, OVERWRITES = (1 << bit for bit in range(9))
ALL = 511
COUNT, KILL, FAIL, SHORT, TORN, FULL, SIGNAL = range(7)


@dataclass(frozen=True)
class Fault:
    """What happens at one call: the kind, the error or signal, and the classes of calls that it can happen to."""

    name: str
    kind: int
    value: int
    classes: int

    @property
    def kills(self):
        return self.kind in (KILL, TORN)

    @property
    def stays(self):
        """Whether the fault is still there afterwards: the disk is full."""
        return self.kind == FULL


FAULTS = {
    fault.name: fault
    for fault in (
        Fault("kill", KILL, 0, WRITES | OVERWRITES | MAKES | CHANGES | SYNCS | LOCKS),
        Fault("torn", TORN, 0, WRITES | OVERWRITES),
        Fault("short", SHORT, 0, WRITES | OVERWRITES | READS),
        Fault("EIO", FAIL, errno.EIO, ALL & ~LOCKS),
        Fault("EINTR", FAIL, errno.EINTR, READS | WRITES | OVERWRITES | MAKES | SYNCS | LOCKS),
        Fault("ENOSPC", FAIL, errno.ENOSPC, WRITES | MAKES | SYNCS | CLOSES),
        Fault("EDQUOT", FAIL, errno.EDQUOT, WRITES | MAKES | SYNCS | CLOSES),
        Fault("full disk", FULL, errno.ENOSPC, WRITES),
        Fault("no inodes", FULL, errno.ENOSPC, WRITES | MAKES),
        Fault("SIGINT", SIGNAL, signal.SIGINT, ALL),
    )
}


def missing():
    """Why the shim can't be built or loaded here; empty where it can."""
    if not sys.platform.startswith("linux"):
        return "LD_PRELOAD is needed, which is Linux's"
    if os.confstr("CS_GNU_LIBC_VERSION") is None:
        return "glibc is needed, whose functions the shim replaces"
    if shutil.which("cc") is None:
        return "a C compiler is needed: no `cc` on the PATH"
    return ""


def build(folder):
    """The path of the shim, compiled into `folder`."""
    made = Path(folder) / "faults.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(made), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return made


def environment(library):
    """The environment of a process that the shim is loaded into."""
    return {
        **os.environ,
        "LD_PRELOAD": str(library),
        "OPENBLAS_NUM_THREADS": "1",  # threads don't survive a fork
        "PYTHONHASHSEED": "0",  # the n-th call is the same one in every process
        "PYTHONWARNINGS": "ignore",
    }


class Shim:
    """The shim in this process."""

    def __init__(self):
        library = ctypes.CDLL(None)
        library.faults_watch.argtypes = [ctypes.c_char_p]
        library.faults_watch.restype = None
        library.faults_arm.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int]
        library.faults_arm.restype = None
        library.faults_disarm.restype = None
        library.faults_count.restype = ctypes.c_long
        for name in ("faults_name", "faults_detail"):
            getattr(library, name).restype = ctypes.c_char_p
            getattr(library, name).argtypes = [ctypes.c_long]
        library.faults_class.argtypes = [ctypes.c_long]
        self._library = library

    def watch(self, folder):
        """Count the calls below `folder` from now on; descriptors that are open already are not seen."""
        self._library.faults_watch(os.fsencode(os.path.realpath(folder)))

    def arm(self, fault=None, number=0):
        """Let `fault` happen at the call `number`, the first being 1; None counts only."""
        if fault is None:
            self._library.faults_arm(COUNT, 0, 0, 0)
        else:
            self._library.faults_arm(fault.kind, number, fault.value, fault.classes)

    def disarm(self):
        self._library.faults_disarm()

    @property
    def fired(self):
        return bool(self._library.faults_fired())

    def calls(self):
        """The calls since it was armed: name, class and path of each."""
        return [
            (
                self._library.faults_name(number).decode(),
                self._library.faults_class(number),
                os.fsdecode(self._library.faults_detail(number)),
            )
            for number in range(self._library.faults_count())
        ]
