"""The figures as tables: medians over the rounds, what a target adds to a call, ratios to nginx."""

import statistics

COLUMNS = ["target", "req/s", "p50 +µs", "p99 +µs", "first byte p50 +µs", "CPU µs/req (min–max)",
           "CPU µs/event", "memory MB", "× nginx CPU", "× nginx req/s", "failed"]
HELD_COLUMNS = ["target", "streams", "KB/stream", "memory MB", "CPU µs/event", "ended early"]


class Figures:
    """Records by workload and target."""

    def __init__(self, records):
        self.groups = {}
        for record in records:
            self.groups.setdefault((record["workload"], record["target"]), []).append(record)

    def values(self, workload, target, name):
        found = self.groups.get((workload, target), [])
        return [record[name] for record in found if name in record]

    def median(self, workload, target, name):
        values = self.values(workload, target, name)
        return statistics.median(values) if values else None

    def targets(self, workload):
        return [target for name, target in self.groups if name == workload]


def number(value, digits=0):
    return "–" if value is None else f"{value:,.{digits}f}"


def added(figures, workload, target, name):
    """Over direct: what is left when the machine's own share is taken away."""
    with_it = figures.median(workload, target, name)
    without = figures.median(workload, "direct", name)
    if with_it is None or without is None:
        return "–"
    return f"{with_it:,.0f}" if target == "direct" else f"{with_it - without:+,.0f}"


def ratio(figures, workload, target, name):
    own = figures.median(workload.name, target, name)
    reference = figures.median(workload.reference, "nginx", name)
    return number(own / reference, 2) if own is not None and reference else "–"


def row(figures, workload, target):
    name = workload.name
    cpu = figures.values(name, target, "cpu_us")
    spread = f"{number(statistics.median(cpu), 1)} ({min(cpu):.1f}–{max(cpu):.1f})" if cpu else "–"
    requests = sum(figures.values(name, target, "requests")) or 1
    failed = sum(figures.values(name, target, "failed") + figures.values(name, target, "broken"))
    return [target, number(figures.median(name, target, "per_second")),
            added(figures, name, target, "p50_us"), added(figures, name, target, "p99_us"),
            added(figures, name, target, "first_byte_p50_us"), spread,
            number(figures.median(name, target, "cpu_us_per_event"), 2),
            number(max(figures.values(name, target, "memory_mb"))),
            ratio(figures, workload, target, "cpu_us"),
            ratio(figures, workload, target, "per_second"),
            f"{100 * failed / requests:.2f} %" if failed else "0"]


def held_row(figures, workload, target):
    name = workload.name
    return [target, number(figures.median(name, target, "streams")),
            number(figures.median(name, target, "kb_per_stream"), 1),
            number(max(figures.values(name, target, "memory_mb"))),
            number(figures.median(name, target, "cpu_us_per_event"), 2),
            number(sum(figures.values(name, target, "failed")))]


def table(records, workload):
    """One workload, as lines of Markdown."""
    figures = Figures(records)
    columns, make = (HELD_COLUMNS, held_row) if workload.is_held else (COLUMNS, row)
    lines = [columns, ["---"] * len(columns)]
    lines += [make(figures, workload, target) for target in figures.targets(workload.name)]
    title = f"### {workload.text}, {workload.connections} at once"
    return [title, "", *("| " + " | ".join(line) + " |" for line in lines), ""]


def tables(records, workloads):
    used = {record["workload"] for record in records}
    return "\n".join(line for workload in workloads if workload.name in used
                     for line in table(records, workload))
