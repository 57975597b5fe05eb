"""All faults of one operation: each is tried in a fork, and what it leaves is judged in another."""

from __future__ import annotations

import gc
import random
import signal
import time
import zlib
from collections import Counter

from forks import Ended, fork
from oracle import Oracle, look, shown
from shim import CHANGES, FAULTS, MAKES, OVERWRITES, WRITES
from trees import digest, restore, snapshot

from zom.errors import ChunkError, ConflictError, StoreError, ZomError

SIGNALS = {"Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM}
"""What is sent at random times; SIGTERM ends the process, as it does where nobody handles it."""

WITHOUT_KEY = {"open", "flush", "close", "list", "repair"}
"""What is done to a whole store."""


class Trials:
    """All faults of one operation.

    Of the calls before the first change, each `early`-th is tried: what fails there leaves nothing. Of the
    others each `every`-th; `turn` chooses which, so that as many turns try all. Signals are sent at `signals`
    random times. `faults` names the kinds to try.
    """

    def __init__(self, operation, shim, folder, *, early=1, every=1, signals=10, faults=None, turn=0):
        self.operation = operation
        self.shim = shim
        self.folder = folder
        self.early = early
        self.every = every
        self.signals = signals
        self.turn = turn
        self.kinds = [fault for fault in FAULTS.values() if faults is None or fault.name in faults]
        self.failures = []
        self.outcomes = Counter()
        self.faults = Counter()
        self.messages = {}
        self.judged = {}

    def run(self):
        """What came of all faults, as JSON."""
        start = time.perf_counter()
        self._prepare()
        self.shim.watch(self.folder)
        calls, seconds = fork(self._count)
        self.oracle = Oracle(self.operation, self.folder, self.before, snapshot(self.folder))
        for fault in self.kinds:
            for number in self._chosen(fault, calls):
                name, _, detail = calls[number - 1]
                self._try(fault, number, f"call {number}: {name} {detail}".strip())
        chance = random.Random(f"{self.operation.name} {self.turn}")
        for name, number in SIGNALS.items():
            for _ in range(self.signals):
                self._interrupt(name, number, chance.random() * seconds)
        return {
            "operation": self.operation.name,
            "calls": len(calls),
            "faults": dict(self.faults),
            "outcomes": dict(self.outcomes),
            "failures": self.failures,
            "messages": self.messages,
            "seconds": time.perf_counter() - start,
        }

    def _prepare(self):
        """Run it once in this process: what is imported or made at first use is there in every fork."""
        self.operation.before(self.folder)
        self.before = snapshot(self.folder)
        self.operation.act(self.folder)
        look(self.folder, self.operation.stores)
        gc.collect()
        gc.freeze()

    def _count(self):
        restore(self.before, self.folder)
        self.shim.arm()
        start = time.perf_counter()
        self.operation.act(self.folder)
        seconds = time.perf_counter() - start
        self.shim.disarm()
        return self.shim.calls(), seconds

    def _chosen(self, fault, calls):
        """The numbers of the calls at which a fault is tried."""
        kinds = [kind for _, kind, _ in calls]
        first = next(
            (number for number, kind in enumerate(kinds) if kind & (WRITES | OVERWRITES | MAKES | CHANGES)), 0
        )
        able = [number for number, kind in enumerate(kinds) if kind & fault.classes]
        early = [number for number in able if number < first]
        late = [number for number in able if number >= first]
        # The same error in other words goes the same ways.
        every = self.every * (self.early if fault.name == "EDQUOT" else 1)
        start = zlib.crc32(f"{self.operation.name} {fault.name}".encode()) + self.turn
        chosen = [*early[start % self.early :: self.early], *late[start % every :: every]]
        return [number + 1 for number in chosen]

    # --- one fault --------------------------------------------------------------------------------------

    def _try(self, fault, number, place):
        def act():
            self.shim.arm(fault, number)
            try:
                return self._act(fault.name)
            finally:
                self.shim.disarm()

        restore(self.before, self.folder)
        self._judge(fault.name, place, self._outcome(act, fault.kills), fault if fault.stays else None)

    def _interrupt(self, name, number, delay):
        restore(self.before, self.folder)
        outcome = self._outcome(lambda: self._act(name), name == "SIGTERM", (number, delay))
        self._judge(name, f"after {delay * 1000:.2f} ms", outcome, None)

    def _outcome(self, act, kills, interrupt=None):
        """How it ended, and what is wrong with that."""
        try:
            error, problems = fork(act, quiet=True, interrupt=interrupt)
        except Ended as ended:
            if kills and ended.how in (signal.SIGKILL, signal.SIGTERM):
                return "killed", []
            if ended.how == "late":
                return "raised", []
            return "crashed", [f"crashes: {ended.how}"]
        if error is not None:
            self.messages.setdefault(error.replace(str(self.folder), ""), 0)
            self.messages[error.replace(str(self.folder), "")] += 1
        return "done" if error is None else "raised", problems

    def _act(self, fault):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            self.operation.act(self.folder)
        except BaseException as error:  # whatever it is, it is judged
            return shown(error), list(check_error(error, fault))
        return None, []

    def _judge(self, fault, place, ended, disk):
        outcome, problems = ended
        tree = snapshot(self.folder)
        found, refused = self._judged(tree, disk, strict=outcome != "killed" and disk is None)
        problems = [*problems, *found]
        if outcome == "done" and fault not in {"SIGINT", "Ctrl-C", "SIGTERM"}:
            state = self._state(tree)
            if state != "new":
                problems.append(f"returns without an error, but reading gives {state}")
        self.faults[fault] += 1
        self.outcomes[outcome] += 1
        self.outcomes["refused"] += refused
        for problem in problems:
            text = problem.replace(str(self.folder), "")
            self.failures.append({"fault": fault, "place": place, "problem": text})

    def _state(self, tree):
        key = ("state", digest(tree))
        if key not in self.judged:
            self.judged[key] = fork(lambda: self._told(tree))
        return self.judged[key]

    def _told(self, tree):
        restore(tree, self.folder)
        try:
            return self.oracle.told(look(self.folder, self.operation.stores))
        except Exception as error:
            return shown(error)

    def _judged(self, tree, disk, *, strict):
        """What is wrong with a tree; the same tree is judged once."""
        key = (digest(tree), strict, disk and disk.name)
        if key not in self.judged:

            def fill(full):
                if full:
                    self.shim.arm(disk, 1)
                else:
                    self.shim.disarm()

            full = fill if disk is not None else None
            try:
                self.judged[key] = fork(lambda: self.oracle.judge(tree, strict=strict, disk=full), quiet=True)
            except Ended as ended:
                self.judged[key] = [f"judging ended: {ended.how}"], False
        return self.judged[key]


def check_error(error, fault):
    """What an error lacks: its type is zom's, and it names the store and the key."""
    text = shown(error)
    if isinstance(error, KeyboardInterrupt) and fault in {"SIGINT", "Ctrl-C"}:
        return
    if not isinstance(error, ZomError):
        yield f"raises {text}"
    elif isinstance(error, (StoreError, ChunkError)):
        if not error.store or error.store not in text:
            yield f"the error doesn't name the store: {text}"
        if not error.key and error.verb not in WITHOUT_KEY:
            yield f"the error doesn't name the key: {text}"
    elif not (isinstance(error, ConflictError) and error.subject):
        yield f"raises {text}"
