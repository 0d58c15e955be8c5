#!/usr/bin/env python3
"""Lets a program answer calls of every kind for half a minute, with either durability: what it is laid
out by (scripts/compile-release). Nothing is measured.

    bench/speed/training.py --program PROGRAM
"""

import argparse
import os
import tempfile
from pathlib import Path

import modelgate
import programs
import workloads
from measure import Bench
from processes import prepare

KINDS = ["w1c64", "w2", "w3", "w4", "w4s", "w6"]
DURABILITIES = ["relaxed", "strict"]
SECONDS = 2


def train(bench, program, folder):
    """The program ends in order, since it writes what it has counted at its end."""
    known = workloads.named()
    for number, durability in enumerate(DURABILITIES):
        variant = modelgate.Variant(durability)
        target = modelgate.target(program, variant, number, folder, bench.mock_port)
        if not bench.start(target, known["w1c64"]):
            raise SystemExit("the program does not answer")
        for name in KINDS:
            said, *_ = bench.load(target, known[name], "--seconds", SECONDS)
            if not said["requests"]:
                raise SystemExit(f"{name}: no answers")
        target.process.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    given = parser.parse_args()
    prepare()
    with tempfile.TemporaryDirectory(prefix="modelgate-training-") as folder:
        bench = Bench(programs.tools(), Path(folder))
        try:
            train(bench, os.path.abspath(given.program), Path(folder))
        finally:
            bench.stop()


if __name__ == "__main__":
    main()
