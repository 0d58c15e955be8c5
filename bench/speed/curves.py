"""What a call costs against concurrency, size of the body, number of tokens and of channels."""

import argparse

import modelgate
import workloads
from places import OUT
from plot import Panel, svg
from table import Figures, tables

CONCURRENCY = [1, 4, 16, 64, 256]
SIZES_KB = [1, 16, 64, 200]
UNIT = "CPU µs a call"
# Rows that are only there, with one of them in use, and rows that calls come by.
IN_USE = [1, 1_000]
# Long enough for every token and channel that takes part to have been called.
WARM_UP = 5


def variants(given):
    """Modelgates that only the curves need."""
    return [variant_of(given, what, count, in_use)
            for what, counts in [("tokens", given.tokens), ("channels", given.channels)]
            for count in counts if count > 1 for in_use in IN_USE]


def variant_of(given, what, count, in_use):
    store = "sqlite" if given.store == "both" else given.store
    return modelgate.Variant("relaxed", store, **{what: count}, in_use=in_use)


def against_load(there, run, title, label, xs, make):
    """A panel with a curve for each target that serves from memory what it can."""
    chosen = [target for target in there if target.name == "nginx"
              or target.name.startswith("modelgate relaxed") and len(target.name.split()) == 3]
    asked = [make(x) for x in xs]
    records = run(asked, chosen)
    figures = Figures(records)
    print(tables(records, asked))
    named = {target.name: [(x, figures.median(make(x).name, target.name, "cpu_us")) for x in xs]
             for target in chosen}
    return Panel(title, label, named)


def against_rows(given, there, run, what, counts):
    """A panel with two curves: the same load on databases of several sizes, with one row in use and with many."""
    by_use = {in_use: {count: variant_of(given, what, count, in_use).name for count in counts}
              for in_use in IN_USE}
    names = {name for by_count in by_use.values() for name in by_count.values()}
    load = workloads.of_concurrency(64)
    records = run([load], [target for target in there if target.name in names])
    figures = Figures(records)
    print(tables(records, [load]))
    curves = {}
    for in_use, by_count in by_use.items():
        points = [(count, figures.median(load.name, name, "cpu_us")) for count, name in by_count.items()]
        found = [(count, cost) for count, cost in points if cost is not None]
        if len(found) < 2:
            continue
        curves[f"{in_use:,} in use"] = found
        told = ", ".join(f"{count:,}: {cost:.1f} µs ({100 * (cost / found[0][1] - 1):+.0f} %)"
                         for count, cost in found)
        print(f"CPU a call by number of {what}, {in_use:,} in use: {told}\n")
    return Panel(f"{UNIT}, by {what} in the database", what, curves) if curves else None


def draw(given, bench, there, measure_all):
    """Measures what was asked for and writes the plot."""
    longer = argparse.Namespace(**{**vars(given), "warm_up": max(given.warm_up, WARM_UP)})

    def run(asked, chosen):
        return measure_all(given, bench, asked, lambda _: chosen)

    def run_longer(asked, chosen):
        return measure_all(longer, bench, asked, lambda _: chosen)

    panels = []
    if given.curves:
        panels.append(against_load(there, run, f"{UNIT}, by concurrency", "calls at once",
                                   CONCURRENCY, workloads.of_concurrency))
        panels.append(against_load(there, run, f"{UNIT}, by size of the request", "KB",
                                   SIZES_KB, workloads.of_size))
    for what, counts in [("tokens", given.tokens), ("channels", given.channels)]:
        if counts:
            panels.append(against_rows(given, there, run_longer, what, counts))
    panels = [panel for panel in panels if panel]
    if panels:
        (OUT / "speed.svg").write_text(svg(panels))
        print(f"The curves are in {OUT / 'speed.svg'}")
