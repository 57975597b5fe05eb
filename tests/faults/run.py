"""Fail and kill at every file system call of every operation: `python tests/faults/run.py [--only WORD ...]`.

Prints a line for each operation, and what went wrong, each with the fault that shows it; exits with 1 where
anything did. `--every 5` tries only each fifth call, and `--turn` chooses which: five turns try all. Without
`--every`, all calls are tried, which takes about half an hour. `--figures` keeps the figures for docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import figures
import shim

WORKER = Path(__file__).with_name("worker.py")


class Workers:
    """Processes with the shim in them, each of which tries one operation after the other."""

    def __init__(self, python, script, arguments=()):
        self.command = [python, str(script), *arguments]
        self.guard = threading.Lock()
        self.results = []

    def run(self, names, count, tell):
        """The results of all operations, in the order of their names."""
        todo = list(reversed(names))
        with tempfile.TemporaryDirectory() as folder:
            environment = shim.environment(shim.build(folder))
            threads = [
                threading.Thread(target=self._work, args=(todo, environment, tell)) for _ in range(count)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        order = {name: place for place, name in enumerate(names)}
        return sorted(self.results, key=lambda each: order[each["operation"]])

    def _work(self, todo, environment, tell):
        pipe = subprocess.PIPE
        with subprocess.Popen(self.command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
            while name := self._next(todo):
                process.stdin.write(f"{name}\n")
                process.stdin.flush()
                line = process.stdout.readline()
                made = json.loads(line) if line else {"operation": name, "broken": "the process ended"}
                with self.guard:
                    self.results.append(made)
                    tell(made)
                if not line:
                    return

    def _next(self, todo):
        with self.guard:
            return todo.pop() if todo else None


def told(made):
    """A line about the trials of one operation, and one about each thing that went wrong."""
    name = made["operation"]
    if "broken" in made:
        return [f"{name:44} BROKEN: {made['broken']}"]
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(made["outcomes"].items()) if count)
    bad = f"; {len(made['failures'])} WRONG" if made["failures"] else ""
    faults = sum(made["faults"].values())
    lines = [
        f"{name:44} {made['calls']:4} calls, {faults:5} faults in {made['seconds']:5.1f} s: {outcomes}{bad}"
    ]
    seen = Counter(failure["problem"] for failure in made["failures"])
    for problem, count in seen.most_common(12):
        first = next(each for each in made["failures"] if each["problem"] == problem)
        lines.append(f"    {count} x {problem}")
        lines.append(f"        first: {first['fault']}, {first['place']}")
    return lines


def summed(results):
    """What docs/reliability.md shows of each operation."""
    return {
        made["operation"]: {
            "calls": made["calls"],
            "faults": made["faults"],
            "outcomes": made["outcomes"],
            "wrong": len(made["failures"]),
        }
        for made in results
    }


def main():
    from operations import OPERATIONS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[""], help="operations whose names contain one of these")
    parser.add_argument("--every", type=int, default=1, help="only each n-th call")
    parser.add_argument("--early", type=int, default=1, help="only each n-th call before the first change")
    parser.add_argument("--signals", type=int, default=10, help="how often each signal is sent at random")
    parser.add_argument("--turn", type=int, default=0, help="which of the calls are tried, where not all are")
    parser.add_argument("--faults", nargs="*", default=[], help="only these kinds of faults")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path, help="write all results to this file")
    parser.add_argument("--figures", action="store_true", help="keep the figures for docs/reliability.md")
    arguments = parser.parse_args()
    if reason := shim.missing():
        sys.exit(reason)
    names = [name for name in OPERATIONS if any(word in name for word in arguments.only)]
    options = [f"--{name}={vars(arguments)[name]}" for name in ("every", "early", "signals", "turn")]
    options += [f"--faults={','.join(arguments.faults)}"] if arguments.faults else []
    workers = Workers(sys.executable, WORKER, options)
    results = workers.run(names, arguments.jobs, lambda made: print("\n".join(told(made)), flush=True))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    if arguments.figures:
        figures.add(
            "faults", {"every": arguments.every, "early": arguments.early, "operations": summed(results)}
        )
    wrong = [made for made in results if "broken" in made or made["failures"]]
    faults = sum(sum(made.get("faults", {}).values()) for made in results)
    print(f"{len(results)} operations, {faults} faults, {len(wrong)} operations with something wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
