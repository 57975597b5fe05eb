"""Tries faults on the changes of one subject, in whose environment it runs with the shim loaded.

    python peer_worker.py SUBJECT EVERY

Writes a line of JSON for each change. The library is imported once; each trial is a fork that uses it for the
first time, for its threads don't survive a fork.
"""

from __future__ import annotations

import gc
import json
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import forks
from peer_subjects import SUBJECTS, method_of
from shim import FAULTS, Shim
from trees import digest, restore, snapshot

KINDS = ("kill", "torn", "short", "EIO", "ENOSPC", "full disk")

forks.LONGEST = 20


class Measurement:
    """All faults of one change of one subject."""

    def __init__(self, subject, what, path, shim, folder, every):
        self.subject = subject
        self.act = getattr(subject, method_of(what))
        self.what = what
        self.path = path
        self.shim = shim
        self.folder = folder
        self.root = str(folder / "S")
        self.every = every
        self.counts = Counter()
        self.examples = {}
        self.seen = {}

    def run(self, before):
        """What came of all faults, as JSON."""
        start = time.perf_counter()
        self.before = before
        self.old = self._state(before)
        restore(before, self.folder)
        self.shim.watch(self.folder)
        calls = forks.fork(self._count)
        self.new = self._state(snapshot(self.folder))
        for kind in KINDS:
            fault = FAULTS[kind]
            able = [number for number, (_, of, _) in enumerate(calls, 1) if of & fault.classes]
            for number in able[len(kind) % self.every :: self.every]:
                name, _, detail = calls[number - 1]
                self._try(fault, number, f"{kind} at call {number}: {name} {detail}".strip())
        return {
            "change": self.what,
            "calls": len(calls),
            "counts": dict(self.counts),
            "examples": self.examples,
            "seconds": round(time.perf_counter() - start, 1),
        }

    def _count(self):
        self.shim.arm()
        self.act(self.root)
        self.shim.disarm()
        return self.shim.calls()

    def _state(self, tree):
        """What is read of a tree by a process of its own: a state as JSON, or that it can't be read."""
        key = digest(tree)
        if key not in self.seen:
            restore(tree, self.folder)
            try:
                state = forks.fork(lambda: self.subject.look(self.root, self.path), quiet=True)
                self.seen[key] = json.dumps(state)
            except forks.Ended as ended:
                self.seen[key] = f"unreadable: {str(ended).strip().rpartition(chr(10))[2]}"
        return self.seen[key]

    def _try(self, fault, number, place):
        def act():
            self.shim.arm(fault, number)
            try:
                self.act(self.root)
            except Exception:
                return traceback.format_exc()
            finally:
                self.shim.disarm()
            return None

        restore(self.before, self.folder)
        done = False
        try:
            error = forks.fork(act, quiet=True)
            done = error is None
        except forks.Ended as ended:
            if not (fault.kills and ended.how == signal.SIGKILL):
                self._note("crashed", f"{place}: {ended}")
                return
        state = self._state(snapshot(self.folder))
        self._note(self._verdict(state, done=done), f"{place}: {state}")

    def _verdict(self, state, *, done):
        if state.startswith("unreadable"):
            return "unreadable"
        if state == self.new:
            return "new"
        # It says that all is written, and it is not.
        return "old" if state == self.old and not done else "lost"

    def _note(self, verdict, place):
        self.counts["trials"] += 1
        self.counts[verdict] += 1
        self.examples.setdefault(verdict, place.replace(str(self.folder), "")[:400])


def main():
    warnings.simplefilter("ignore")
    subject, every = SUBJECTS[sys.argv[1]](), int(sys.argv[2])
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="zom-peers-", dir=memory if memory.is_dir() else None)).resolve()
    shim = Shim()
    try:
        with tempfile.TemporaryDirectory() as beside:
            subject.warm(beside)
        gc.collect()
        gc.freeze()
        forks.fork(lambda: subject.make(str(folder / "S")))
        before = snapshot(folder)
        print(json.dumps({"version": subject.version}), flush=True)
        for what, path in subject.changes().items():
            made = Measurement(subject, what, path, shim, folder, every).run(before)
            print(json.dumps(made), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
