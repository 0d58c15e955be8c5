"""Nodes of one service on shared records, and what an operator does to them."""

import http.client
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

from services import PATIENCE, free_port, wait_until

KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
PASSWORD = "correct horse battery"
TICKS = os.sysconf("SC_CLK_TCK")


class Node:
    """One node with a data folder and an address that it keeps over restarts."""

    def __init__(self, program, environment, folder):
        self.program, self.environment, self.folder = program, environment, folder
        self.port = free_port()
        self.log = folder / "log"
        self.process = None

    def start(self):
        """Starts it and waits until it is ready."""
        command = [self.program, "serve", "--data", str(self.folder), "--listen", f"127.0.0.1:{self.port}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, cwd=self.folder)
        wait_until(self.is_ready, f"{self.port} is ready")

    def is_ready(self):
        """Whether a load balancer would send calls to it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def kill(self):
        """Ends it without a chance to do anything."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def ask_to_stop(self):
        """SIGTERM; gives how long it took until it had exited, and with what."""
        begun = time.monotonic()
        self.process.terminate()
        status = self.process.wait(60)
        return time.monotonic() - begun, status

    def metrics(self):
        """The text that Prometheus reads."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def cpu_s(self):
        """Processor time that it has used."""
        return cpu_s(self.process.pid)


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

    def __init__(self, program, services, count=3, settings=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="modelgate-nodes-"))
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MODELGATE_")}
        self.environment = clean | {
            "MODELGATE_DATABASE__URL": services.postgres.url,
            "MODELGATE_REDIS__URL": services.redis.url,
            "MODELGATE_SECRETS__MASTER_KEY": KEY,
            "MODELGATE_LOG__LEVEL": "info",
        } | (settings or {})
        self.program = program
        self.nodes = []
        for number in range(count):
            folder = self.folder / f"node-{number}"
            folder.mkdir()
            self.nodes.append(Node(program, self.environment, folder))
        set_up = ["setup", "--password-stdin", "--demo", "--token", "first", "--grant-usd", "1000"]
        done = self.command(set_up, PASSWORD + "\n")
        self.token = json.loads(done.stdout)["token"]
        starting = [threading.Thread(target=node.start) for node in self.nodes]
        for thread in starting:
            thread.start()
        for thread in starting:
            thread.join()
        assert all(node.is_ready() for node in self.nodes)

    def command(self, arguments, text=""):
        """Runs the program beside the nodes; it must succeed."""
        command = [self.program, *arguments, "--data", str(self.nodes[0].folder)]
        done = subprocess.run(command, env=self.environment, input=text, capture_output=True, text=True, check=False,
                              cwd=self.folder)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done

    def close(self):
        """Ends what still runs and removes what it wrote."""
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.process.kill()
                node.process.wait(PATIENCE)
        shutil.rmtree(self.folder)
