"""A full disk, for real: the data folder is a small tmpfs of its own, filled to the last byte."""

import json
import os
import pathlib
import signal
import subprocess

import pytest
from clients import COST_NANOS, Client, Tally
from cluster import KEY, PASSWORD, Node
from services import PATIENCE, Services, wait_until
from test_three_nodes import PROGRAM


def can_mount():
    """Whether a folder of our own can be mounted."""
    tried = subprocess.run(["unshare", *RIGHTS, "true"], capture_output=True, check=False)
    return tried.returncode == 0


RIGHTS = ["--mount"] if os.getuid() == 0 else ["--mount", "--user", "--map-root-user"]
pytestmark = pytest.mark.skipif(not can_mount(), reason="nothing can be mounted here")


class Small(Node):
    """A node whose data folder is a small disk that only it sees; a helper process fills it."""

    def __init__(self, folder, environment):
        super().__init__(str(PROGRAM), environment, folder)
        self.disk = folder / "disk"
        self.disk.mkdir()
        self.keeper = None

    def mount(self):
        """Makes the disk; it lives as long as a process inside does."""
        script = f"mount -t tmpfs -o size=12m tmpfs {self.disk} && echo made && sleep 600"
        command = ["unshare", *RIGHTS, "--fork", "--kill-child", "sh", "-c", script]
        self.keeper = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert self.keeper.stdout.readline() == "made\n"

    def inside(self):
        """How to run something that sees the disk."""
        child = pathlib.Path(f"/proc/{self.keeper.pid}/task/{self.keeper.pid}/children").read_text().split()[0]
        rights = ["--mount"] if os.getuid() == 0 else ["--mount", "--user", "--preserve-credentials"]
        return ["nsenter", *rights, "--target", child, "--"]

    def run(self, *arguments, text=""):
        """Runs the program to its end on the disk."""
        command = [*self.inside(), self.program, *arguments, "--data", str(self.disk)]
        return subprocess.run(command, input=text, env=self.environment, capture_output=True, text=True, check=False)

    def start(self):
        """Serves from the disk; the log is elsewhere."""
        command = [*self.inside(), self.program, "serve", "--data", str(self.disk), "--listen", f"127.0.0.1:{self.port}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        wait_until(self.is_ready, "it is ready")

    def fill(self):
        """Not a byte is left."""
        script = f"dd if=/dev/zero of={self.disk}/filler bs=4k 2>/dev/null; dd if=/dev/zero of={self.disk}/f2 bs=1 2>/dev/null; true"
        subprocess.run([*self.inside(), "sh", "-c", script], check=True)

    def free(self):
        """There is room again."""
        subprocess.run([*self.inside(), "rm", "-f", f"{self.disk}/filler", f"{self.disk}/f2"], check=True)

    def close(self):
        """Ends it and its disk."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        if self.keeper:
            os.killpg(self.keeper.pid, signal.SIGKILL)
            self.keeper.wait(PATIENCE)


def small_node(tmp_path, more=None):
    """A set-up node on a small disk, and its token."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MODELGATE_")}
    node = Small(tmp_path, clean | {"MODELGATE_SECRETS__MASTER_KEY": KEY} | (more or {}))
    node.mount()
    made = node.run("setup", "--password-stdin", "--demo", "--token", "first", text=PASSWORD + "\n")
    assert made.returncode == 0, made.stderr
    node.start()
    return node, json.loads(made.stdout)["token"]


def balance(node):
    """What root has, from a command beside it."""
    shown = node.run("user", "--json", "show", "root")
    assert shown.returncode == 0, shown.stderr
    return round(float(json.loads(shown.stdout)["quota_usd"]) * 1e9)


def until_refused(client, node):
    """Calls until one is not answered well; its status, and how many were before."""
    for served in range(200):
        status = client.call(node)
        if status != 200:
            return status, served
    raise AssertionError("a full disk was not noticed")


def test_sqlite_on_a_full_disk_gives_nothing_away_and_goes_on_when_there_is_room(tmp_path):
    """Calls that cannot be charged get 503; afterwards the ledger balances and every answer was charged."""
    node, token = small_node(tmp_path)
    try:
        tally = Tally()
        client = Client(token, tally)
        assert client.call(node) == 200
        node.fill()
        status, _ = until_refused(client, node)
        assert status == 503, tally.examples
        node.free()
        wait_until(lambda: client.call(node) == 200, "calls are served again")
        node.process.terminate()
        assert node.process.wait(PATIENCE) == 0, node.log.read_text()
        verified = node.run("ledger", "verify")
        assert verified.returncode == 0, verified.stderr
        spent = 100_000_000_000 - balance(node)
        assert spent >= len(tally.whole) * COST_NANOS, "every answer was charged"
    finally:
        node.close()


def test_a_journal_on_a_full_disk_gives_nothing_away_and_goes_on_when_all_is_back(tmp_path):
    """PostgreSQL is away and the journal cannot grow: 503; nothing that was answered is lost."""
    services = Services()
    node = None
    try:
        node, token = small_node(tmp_path, {"MODELGATE_DATABASE__URL": services.postgres.url,
                                            "MODELGATE_BILLING__LEASE_S": "60"})
        tally = Tally()
        client = Client(token, tally, patience=6)
        assert client.call(node) == 200
        services.postgres.stop()
        assert client.call(node) == 200, "the journal takes it"
        node.fill()
        status, _ = until_refused(client, node)
        # An answer whose charge can be written nowhere is held back.
        assert status in (503, None), tally.examples
        node.free()
        services.postgres.start()
        wait_until(lambda: client.call(node) == 200, "calls are served again")
        node.process.terminate()
        assert node.process.wait(PATIENCE) == 0, node.log.read_text()
        verified = node.run("ledger", "verify")
        assert verified.returncode == 0, verified.stderr
        rows = services.postgres.ask("SELECT request_id, charge_nanos FROM request_log")
        charges = {request_id: int(nanos) for request_id, nanos in rows}
        for request_id in tally.whole:
            assert charges.get(request_id) == COST_NANOS, request_id
    finally:
        if node:
            node.close()
        services.close()
