"""Processes of a run: started on their cores, accounted for, ended with the run.

A target's processor time is that of its whole tree of processes, from /proc: it moves far less than
throughput does when a machine is busy with other things.
"""

import os
import resource
import signal
import socket
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")


def prepare():
    """Makes room for thousands of streams, and ends as on an error when asked to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def cores():
    """Who runs where: targets on one core, the mock and the load generator on what is left."""
    there = sorted(os.sched_getaffinity(0))
    if len(there) == 1:
        return {"target": there, "mock": there, "load": there}
    return {"target": there[:1], "mock": there[1:2], "load": there[-1:]}


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def tree(root):
    """The processor ticks of a process and all that came from it, by their ids."""
    ticks, children = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        ticks[int(entry)] = int(fields[11]) + int(fields[12])
        children.setdefault(int(fields[1]), []).append(int(entry))
    found, waiting = {}, [root]
    while waiting:
        pid = waiting.pop()
        if pid in ticks:
            found[pid] = ticks[pid]
            waiting += children.get(pid, [])
    return found


class Process:
    """One started program with its children."""

    def __init__(self, command, where, log, environment=None):
        # Given before the program begins, so that every thread of it inherits its cores.
        def on_cores():
            os.sched_setaffinity(0, where)

        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True, preexec_fn=on_cores)

    @property
    def pid(self):
        return self.process.pid

    def has_ended(self):
        return self.process.poll() is not None

    def cpu_seconds(self):
        return sum(tree(self.pid).values()) / TICKS

    def memory_mb(self):
        """Resident, all processes together."""
        total = 0
        for pid in tree(self.pid):
            try:
                with open(f"/proc/{pid}/status") as status:
                    total += sum(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
            except OSError:
                continue
        return total / 1024

    def stop(self, patience=10):
        """Asks, waits, insists."""
        pids = list(tree(self.pid))
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid in pids:
                try:
                    os.kill(pid, number)
                except OSError:
                    continue
            deadline = time.monotonic() + patience
            while not self.has_ended() and time.monotonic() < deadline:
                time.sleep(0.05)
            pids = [pid for pid in pids if pid in tree(self.pid)]
