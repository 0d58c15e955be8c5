"""Nodes of one service on shared records, and what an operator does to them."""

import os
import pathlib
import shutil
import tempfile
import threading

from program import Program

KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(pid):
    """Processor time of a process, without its children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_with_children(pid):
    """Processor time of a process and of all that it started and that still run."""
    total = cpu_s(pid)
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        total += sum(cpu_with_children(child) for child in children.read_text().split())
    return total


class Cluster:
    """Some nodes, set up with the demo channel."""

    def __init__(self, services, count=3, program=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="modelgate-nodes-"))
        settings = {
            "MODELGATE_DATABASE__URL": services.postgres.url,
            "MODELGATE_REDIS__URL": services.redis.url,
            "MODELGATE_SECRETS__MASTER_KEY": KEY,
            "MODELGATE_LOG__LEVEL": "info",
        }
        self.nodes = []
        for number in range(count):
            folder = self.folder / f"node-{number}"
            folder.mkdir()
            self.nodes.append(Program(folder, settings, program))
        self.token = None

    def start(self):
        """Sets up and starts all of them at once."""
        self.nodes[0].set_up("--grant-usd", "1000")
        self.token = self.nodes[0].token
        starting = [threading.Thread(target=node.start) for node in self.nodes]
        for thread in starting:
            thread.start()
        for thread in starting:
            thread.join()
        assert all(node.is_ready() for node in self.nodes)

    def close(self):
        """Ends what still runs and removes what it wrote."""
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self.folder)
