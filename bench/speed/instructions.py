#!/usr/bin/env python3
"""Counts the instructions of a call in the release binary and fails when there are more than before.

    bench/speed/instructions.py                 compare with bench/speed/instructions.json
    bench/speed/instructions.py --write         make that file anew, after a change that is meant

The server runs under callgrind, which counts what is executed and so gives nearly the same figure on
a busy machine as on a quiet one. Only the worker's thread counts: what other threads write behind the
calls goes in batches, whose number depends on the time. Each workload is run with N calls and with
2 N; the difference, by N, is a call without what the worker does anyway. The profiles stay in
bench/out for callgrind_annotate.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import modelgate
import programs
import workloads
from measure import Bench
from places import HERE, OUT
from processes import prepare

FIGURES = HERE / "instructions.json"
# Calls of the smaller run, by workload.
CALLS = {"w1c64": 200, "w2": 40, "w3": 40, "w4": 100, "w4s": 40}
CONNECTIONS = 4
# The worker's own part of what follows a reply must have happened before a count.
SETTLING_SECONDS = 1
WORKER = "worker-0"


def total(file):
    """The sum of a dump, as callgrind writes it into one."""
    for line in file.read_text(errors="replace").splitlines():
        if line.startswith(("totals:", "summary:")):
            return int(line.split()[1])
    raise SystemExit(f"{file} has no sum")


class Counter:
    """A server under callgrind."""

    def __init__(self, bench, program, folder):
        self.bench, self.number = bench, 0
        variant = modelgate.Variant("relaxed")
        self.target = modelgate.target(program, variant, 0, folder, bench.mock_port)
        self.dumps = OUT / "callgrind"
        for old in OUT.glob("callgrind.*"):
            old.unlink()
        valgrind = ["valgrind", "--tool=callgrind", "--separate-threads=yes",
                    f"--callgrind-out-file={self.dumps}"]
        self.target.command = valgrind + self.target.command
        self.target.start_seconds = 180

    def start(self):
        if not self.bench.start(self.target, workloads.named()["w1c64"]):
            raise SystemExit("the server does not run under callgrind")
        self.worker = self.worker_thread()

    def worker_thread(self):
        """Valgrind's own number of the worker's thread, through the system's."""
        pid = self.target.process.pid
        tasks = Path(f"/proc/{pid}/task").iterdir()
        wanted = next(task.name for task in tasks if (task / "comm").read_text().strip() == WORKER)
        command = ["vgdb", f"--pid={pid}", "v.info", "scheduler"]
        said = subprocess.run(command, check=True, capture_output=True, text=True)
        lines = re.findall(r"Thread (\d+): .*lwpid (\d+)", said.stdout + said.stderr)
        return next(int(number) for number, task in lines if task == wanted)

    def count(self):
        """Instructions of the worker since the last count."""
        time.sleep(SETTLING_SECONDS)
        self.number += 1
        command = ["callgrind_control", f"--dump=count {self.number}", str(self.target.process.pid)]
        subprocess.run(command, check=True, capture_output=True)
        file = Path(f"{self.dumps}.{self.number}-{self.worker:02}")
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        return total(file)

    def of_calls(self, workload, calls):
        workload = replace(workload, connections=CONNECTIONS)
        said, *_ = self.bench.load(self.target, workload, "--requests", calls)
        if said["failed"] or said["broken"]:
            raise SystemExit(f"{workload.name}: {said['first_failure']}")
        return self.count()

    def per_call(self, workload, calls):
        self.of_calls(workload, calls)
        fewer, more = self.of_calls(workload, calls), self.of_calls(workload, 2 * calls)
        return (more - fewer) // calls


def counted(given):
    """Instructions a call, by workload."""
    known, found = workloads.named(), {}
    with tempfile.TemporaryDirectory(prefix="modelgate-bench-") as folder:
        bench = Bench(programs.tools(), Path(folder))
        try:
            program = os.path.abspath(programs.modelgate(given.program))
            counter = Counter(bench, program, Path(folder))
            counter.start()
            for name, calls in CALLS.items():
                found[name] = counter.per_call(known[name], calls)
                print(f"{known[name].text}: {found[name]:,} instructions a call", flush=True)
        finally:
            bench.stop()
    return found


def compare(found, figures, tolerance):
    """Says how each workload moved; whether one grew by more than is tolerated."""
    is_worse = False
    for name, instructions in found.items():
        before = figures.get(name)
        if before is None:
            print(f"{name}: no figure to compare with")
            is_worse = True
            continue
        change = 100 * (instructions / before - 1)
        verdict = "MORE THAN TOLERATED" if change > tolerance else "ok"
        is_worse |= change > tolerance
        print(f"{name}: {before:,} -> {instructions:,} ({change:+.1f} %): {verdict}")
    return is_worse


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", help="a built modelgate, instead of building one")
    parser.add_argument("--tolerance", type=float, default=5, help="percent")
    parser.add_argument("--write", action="store_true", help="keep what is counted as the figures")
    given = parser.parse_args()
    if not programs.find("valgrind"):
        raise SystemExit("valgrind is missing: apt-get install valgrind")
    prepare()
    OUT.mkdir(parents=True, exist_ok=True)
    found = counted(given)
    if given.write:
        FIGURES.write_text(json.dumps(found, indent=2) + "\n")
        return 0
    if not FIGURES.exists():
        print(f"There is nothing to compare with: --write makes {FIGURES.name} of this binary")
        return 1
    return int(compare(found, json.loads(FIGURES.read_text()), given.tolerance))


if __name__ == "__main__":
    sys.exit(main())
