"""A soak: three processes change one hierarchy at random, are killed, and repair, beside a model in memory.

    python tests/faults/soak.py [--seconds 60] [--seed 0] [--form v3]     --seconds 1800 for half an hour

Each process owns a group, and a part of the elements of an array whose chunks all of them share. What it
is about to do it tells its parent, which applies the same to a model: after a kill the hierarchy must be
what the model was, or is. Prints what was done, and exits with 1 where hierarchy and model differ.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import figures
from soak_model import Model, next_change
from soak_store import Owner, make

import zom

PROCESSES = 3

PATIENCE = 120
"""How many seconds a process may wait for the others before it counts as stuck."""


class Process:
    """One of the processes, with what is known of its part of the hierarchy."""

    def __init__(self, root, number, seed, form):
        self.root = root
        self.number = number
        self.seed = seed
        self.form = form
        self.model = Model(number)
        self.pending = None
        self.last = deque(maxlen=12)
        self.lives = 0
        self.child = 0

    def start(self):
        """Fork; the child repairs what its last life left, and goes on."""
        self.lives += 1
        reader, writer = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.close(reader)
            try:
                self._live(writer)
            finally:
                os._exit(1)
        os.close(writer)
        os.set_blocking(reader, False)
        self.reader = reader
        self.rest = b""
        self.heard = time.monotonic()

    def _live(self, writer):
        def tell(**facts):
            os.write(writer, json.dumps(facts).encode() + b"\n")

        signal.signal(signal.SIGINT, signal.default_int_handler)
        chance = random.Random(f"{self.seed} {self.number} {self.lives}")
        owner = self.owner()
        try:
            owner.patiently(lambda: zom.repair(self.root))
            outcome = owner.settle(self.model, self.pending)
            tell(adopt=outcome)
            self._adopt(outcome)
            while True:
                change = next_change(self.model, chance)
                tell(begin=change)
                owner.do(change)
                self.model.apply(change)
                tell(end=True)
                if chance.random() < 0.1:
                    owner.check(self.model)
                    tell(checked=True)
        except KeyboardInterrupt:
            os._exit(0)
        except BaseException:  # the parent shows it
            tell(trace=traceback.format_exc())

    def owner(self):
        return Owner(self.root, self.number, PROCESSES, self.form, PATIENCE)

    def settle(self):
        """Find out what became of the change that was interrupted."""
        self._adopt(self.owner().settle(self.model, self.pending))

    def _adopt(self, outcome):
        if outcome == "new":
            self.model.apply(self.pending)
        elif outcome != "old":
            self.model.adopt(outcome)
        self.pending = None

    def listen(self):
        """Take what the child has told; yields what happened."""
        while True:
            try:
                part = os.read(self.reader, 1 << 16)
            except BlockingIOError:
                return
            if not part:
                return
            self.heard = time.monotonic()
            *lines, self.rest = (self.rest + part).split(b"\n")
            for line in lines:
                yield from self._take(json.loads(line))

    def _take(self, facts):
        if "begin" in facts:
            self.pending = facts["begin"]
        elif "end" in facts:
            self.model.apply(self.pending)
            self.last.append(self.pending)
            yield self.pending["do"]
            self.pending = None
        elif "adopt" in facts:
            self.last.append({"life": self.lives, "doing": self.pending, "found": facts["adopt"]})
            self._adopt(facts["adopt"])
            yield "settled"
        elif "trace" in facts:
            raise RuntimeError(
                f"process {self.number}, in life {self.lives}, doing {self.pending}:\n{facts['trace']}\n"
                + "\n".join(f"before: {each}" for each in self.last)
            )
        else:
            yield "checked"

    def end(self, number):
        """Send a signal, and take what was told before it came."""
        os.kill(self.child, number)
        found, again = [], time.monotonic() + 1
        # It may have more to tell than a pipe holds before it ends; and an interrupt within a callback of
        # Python's own is printed there, and goes no further.
        while os.waitpid(self.child, os.WNOHANG) == (0, 0):
            found += self.listen()
            if time.monotonic() > again:
                os.kill(self.child, number)
                again += 1
            time.sleep(0.002)
        found += self.listen()
        os.close(self.reader)
        return found


class Soak:
    """All processes, and the one that kills them."""

    def __init__(self, root, seed, form):
        self.root = root
        self.chance = random.Random(seed)
        make(root, form, PROCESSES)
        self.processes = [Process(root, number, seed, form) for number in range(PROCESSES)]
        self.done = Counter()

    def run(self, seconds):
        """Go on for so many seconds; a check of everything each eighth of them."""
        end = time.monotonic() + seconds
        next_rest = time.monotonic() + seconds / 8
        for process in self.processes:
            process.start()
        try:
            while time.monotonic() < end:
                time.sleep(self.chance.uniform(0.02, 0.8))
                self._listen()
                victim = self.chance.choice(self.processes)
                self._end(
                    victim,
                    self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM]),
                )
                victim.start()
                if time.monotonic() > next_rest:
                    next_rest += seconds / 8
                    self._rest()
            self._rest(last=True)
        finally:
            for process in self.processes:
                try:
                    os.kill(process.child, signal.SIGKILL)
                except ProcessLookupError:
                    continue

    def _listen(self):
        for process in self.processes:
            self.done.update(process.listen())
            if time.monotonic() - process.heard > PATIENCE:
                raise RuntimeError(f"process {process.number} is stuck, doing {process.pending}")

    def _end(self, process, number):
        self.done.update(process.end(number))
        self.done[signal.Signals(number).name] += 1

    def _found(self):
        return [
            problem
            for problem in zom.validate(self.root, conventions=(), data="all").problems
            if problem.severity != "note"
        ]

    def _rest(self, *, last=False):
        """Kill all, repair, and compare the whole hierarchy with the models."""
        for process in self.processes:
            self._end(process, signal.SIGKILL)
        zom.repair(self.root)
        for process in self.processes:
            process.settle()
        found = self._found()
        allowed = {"chunk/outside-grid", "store/loose-document"}
        # Who is killed between a document and the look for consolidated metadata that others write meanwhile
        # leaves it stale: a check says so, and to consolidate mends it.
        if any(problem.code == "store/stale-consolidated" for problem in found):
            self.done["stale"] += 1
            zom.consolidate(self.root)
            found = self._found()
        if wrong := [problem for problem in found if problem.code not in allowed]:
            before = [
                f"process {each.number}, before: {last}" for each in self.processes for last in each.last
            ]
            raise RuntimeError("\n".join([f"zom.validate finds {wrong[:3]}", *before]))
        self.done["rests"] += 1
        if not last:
            for process in self.processes:
                process.start()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("ZOM_SOAK", "60")))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--form", choices=["v2", "v3"], default="v3")
    parser.add_argument("--figures", action="store_true", help="keep the figures for docs/reliability.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp(prefix="zom-soak-"))
    soak = Soak(str(folder / "S"), arguments.seed, arguments.form)
    try:
        soak.run(arguments.seconds)
    except Exception:
        print(f"the hierarchy is left in {folder}", file=sys.stderr)
        raise
    shutil.rmtree(folder)
    print(f"{arguments.seconds:.0f} s, no divergence: {dict(sorted(soak.done.items()))}")
    if arguments.figures:
        facts = {"seconds": arguments.seconds, "seed": arguments.seed, "done": dict(soak.done)}
        figures.add(f"soak {arguments.form}", facts)


if __name__ == "__main__":
    main()
