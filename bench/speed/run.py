#!/usr/bin/env python3
"""Measures Modelgate beside nginx, HAProxy and other gateways on this machine, over loopback.

    bench/speed/run.py                                  every workload, SQLite, both durabilities
    bench/speed/run.py --short                          a look that takes a few minutes
    bench/speed/run.py --workloads w1c64,w2 --peers     with LiteLLM and Portkey
    bench/speed/run.py --store both                     on PostgreSQL and Redis as well
    bench/speed/run.py --curves --tokens 1,1000,500000 --channels 1,1000

Rounds are interleaved: each round takes each workload, and of it each target in turn. Every record
goes to bench/out/speed.jsonl, the curves to bench/out/speed.svg. docs/speed.md says how to read it.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import curves
import modelgate
import peers
import programs
import targets
import workloads
from measure import Bench
from places import OUT, ROOT
from processes import prepare
from table import tables


def numbers(text):
    return [int(part) for part in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--workloads", default=",".join(workloads.named()), help="of those, by comma")
    parser.add_argument("--durability", choices=["strict", "relaxed", "both"], default="both")
    parser.add_argument("--store", choices=["sqlite", "postgres", "both"], default="sqlite")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="of a window")
    parser.add_argument("--warm-up", type=float, default=1, help="seconds before a window")
    parser.add_argument("--short", action="store_true", help="one round of windows of two seconds")
    parser.add_argument("--peers", action="store_true", help="LiteLLM and Portkey as well")
    parser.add_argument("--curves", action="store_true", help="cost against concurrency and size")
    parser.add_argument("--tokens", type=numbers, default=[], help="cost against tokens: 1,1000,500000")
    parser.add_argument("--channels", type=numbers, default=[], help="cost against channels: 1,1000")
    parser.add_argument("--program", help="a built modelgate, instead of building one")
    given = parser.parse_args()
    if given.durability == "strict" and (given.curves or given.tokens or given.channels):
        parser.error("curves are of the relaxed durability")
    if given.short:
        given.rounds, given.seconds, given.warm_up = 1, 2, 0.5
    return given


def with_services(given):
    """Begins anew beside a throw-away PostgreSQL and Redis, where they are wanted."""
    if given.store != "sqlite" and "MODELGATE_TEST_POSTGRES" not in os.environ:
        script = str(ROOT / "scripts" / "with-services")
        os.execv(script, [script, sys.executable, *sys.argv])


def variants(given):
    durabilities = ["strict", "relaxed"] if given.durability == "both" else [given.durability]
    stores = ["sqlite", "postgres"] if given.store == "both" else [given.store]
    return [modelgate.Variant(durability, store) for store in stores for durability in durabilities]


def all_targets(given, bench, folder):
    program = os.path.abspath(programs.modelgate(given.program))
    yield from targets.proxies(folder, bench.mock_port)
    for number, variant in enumerate([*variants(given), *curves.variants(given)]):
        yield modelgate.target(program, variant, number, folder, bench.mock_port)
    if given.peers:
        yield peers.litellm(folder, bench.mock_port)
        yield peers.portkey(bench.mock_port)


def measure_all(given, bench, asked, plan):
    """The records of all rounds; `plan` says which targets take part in a workload."""
    records = []
    with open(OUT / "speed.jsonl", "a") as out:
        for turn in range(given.rounds):
            for workload in asked:
                for target in plan(workload):
                    record = bench.measure(target, workload, given.seconds, given.warm_up)
                    record["round"] = turn
                    records.append(record)
                    out.write(json.dumps(record) + "\n")
                    out.flush()
                    print(f"  {turn + 1}/{given.rounds} {workload.name} {target.name}: "
                          f"{record.get('per_second', 0):,.0f}/s, {record.get('cpu_us', 0):.1f} µs "
                          f"{record['first_failure'] or ''}", file=sys.stderr, flush=True)
    return records


def main():
    given = arguments()
    known = workloads.named()
    unknown = [name for name in given.workloads.split(",") if name not in known]
    if unknown:
        raise SystemExit(f"there is no workload {unknown[0]}: choose from {', '.join(known)}")
    with_services(given)
    prepare()
    OUT.mkdir(parents=True, exist_ok=True)
    asked = [known[name] for name in given.workloads.split(",")]
    with tempfile.TemporaryDirectory(prefix="modelgate-bench-") as folder:
        bench = Bench(programs.tools(), Path(folder))
        try:
            there = [bench.direct, *all_targets(given, bench, Path(folder))]
            there = [target for target in there if bench.start(target, known["w1c64"])]
            extra = {variant.name for variant in curves.variants(given)}

            def plan(workload):
                return [target for target in there
                        if target.name not in extra and target.takes(workload)]

            print(f"{len(os.sched_getaffinity(0))} cores, load average {os.getloadavg()[0]:.1f}, "
                  f"{given.rounds} rounds of {given.seconds:g} s", flush=True)
            records = measure_all(given, bench, asked, plan)
            print(tables(records, asked))
            curves.draw(given, bench, there, measure_all)
        finally:
            bench.stop()


if __name__ == "__main__":
    main()
