"""A full disk, for real: the data folder is a small tmpfs of its own, filled to the last byte."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess

import pytest
from clients import COST_NANOS, Client, Tally
from cluster import KEY
from services import Services

from loopback import PATIENCE_S, wait_until
from program import Program


def can_mount():
    """Whether a folder of our own can be mounted."""
    tried = subprocess.run(["unshare", *RIGHTS, "true"], capture_output=True, check=False)
    return tried.returncode == 0


RIGHTS = ["--mount"] if os.getuid() == 0 else ["--mount", "--user", "--map-root-user"]
pytestmark = pytest.mark.skipif(not can_mount(), reason="nothing can be mounted here")


class Small(Program):
    """A node whose data folder is a small disk that only it sees; a helper process fills it."""

    def __init__(self, folder, settings):
        super().__init__(folder, settings)
        self.data.mkdir()
        # The disk lives as long as a process inside does.
        script = f"mount -t tmpfs -o size=12m,mode=700 tmpfs {self.data} && echo made && sleep 600"
        command = ["unshare", *RIGHTS, "--fork", "--kill-child", "sh", "-c", script]
        self.keeper = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert self.keeper.stdout.readline() == "made\n"
        child = pathlib.Path(f"/proc/{self.keeper.pid}/task/{self.keeper.pid}/children").read_text().split()[0]
        rights = ["--mount"] if os.getuid() == 0 else ["--mount", "--user", "--preserve-credentials"]
        self.inside = ["nsenter", *rights, "--target", child, "--"]

    def fill(self):
        """Not a byte is left."""
        script = f"dd if=/dev/zero of={self.data}/filler bs=4k 2>/dev/null; dd if=/dev/zero of={self.data}/f2 bs=1 2>/dev/null; true"
        subprocess.run([*self.inside, "sh", "-c", script], check=True)

    def free(self):
        """There is room again."""
        subprocess.run([*self.inside, "rm", "-f", f"{self.data}/filler", f"{self.data}/f2"], check=True)

    def balance_nanos(self):
        """What root has, from a command beside it."""
        return round(float(json.loads(self.run("user", "--json", "show", "root"))["quota_usd"]) * 1e9)

    def close(self):
        """Ends it and its disk."""
        self.kill()
        os.killpg(self.keeper.pid, signal.SIGKILL)
        self.keeper.wait(PATIENCE_S)


@contextlib.contextmanager
def small_node(folder, settings=None):
    """A set-up node on a small disk."""
    node = Small(folder, {"MODELGATE_SECRETS__MASTER_KEY": KEY} | (settings or {}))
    try:
        node.set_up()
        node.start()
        yield node
    finally:
        node.close()


def until_refused(client, node):
    """Calls until one is not answered well; its status, and how many were before."""
    for served in range(200):
        status = client.call(node)
        if status != 200:
            return status, served
    raise AssertionError("a full disk was not noticed")


def test_sqlite_on_a_full_disk_gives_nothing_away_and_goes_on_when_there_is_room(tmp_path):
    """Calls that cannot be charged get 503; afterwards the ledger balances and every answer was charged."""
    with small_node(tmp_path) as node:
        tally = Tally()
        client = Client(node.token, tally)
        assert client.call(node) == 200
        node.fill()
        status, _ = until_refused(client, node)
        assert status == 503, tally.examples
        node.free()
        wait_until(lambda: client.call(node) == 200, "calls are served again")
        node.stop()
        node.run("ledger", "verify")
        spent = 100_000_000_000 - node.balance_nanos()
        assert spent >= len(tally.whole) * COST_NANOS, "every answer was charged"


def refused(node, status, *arguments):
    """The one line of a command that must fail in this way."""
    done = subprocess.run(node._command(*arguments), cwd=node.folder, env=node.environment, capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (status, 1), done
    return done.stderr


def test_copies_on_a_full_disk_leave_nothing_behind_and_what_was_there_as_it_was(tmp_path):
    """Neither half a copy nor half a database stays."""
    with small_node(tmp_path) as node:
        copy = tmp_path / "copy"
        node.run("backup", str(copy))
        node.stop()
        node.fill()
        assert "No space left" in refused(node, 1, "restore", str(copy), "--replace")
        assert "is the disk full?" in refused(node, 7, "backup", str(node.data / "second"))
        names = subprocess.run([*node.inside, "ls", node.data], capture_output=True, text=True, check=True).stdout.split()
        assert not [name for name in names if "restor" in name or "second" in name], names
        node.free()
        node.start()
        assert Client(node.token, Tally()).call(node) == 200


@pytest.fixture
def services():
    """A PostgreSQL and a Redis of this test."""
    services = Services()
    yield services
    services.close()


def test_a_journal_on_a_full_disk_gives_nothing_away_and_goes_on_when_all_is_back(tmp_path, services):
    """PostgreSQL is away and the journal cannot grow: 503; nothing that was answered is lost."""
    settings = {"MODELGATE_DATABASE__URL": services.postgres.url, "MODELGATE_BILLING__LEASE_S": "60"}
    with small_node(tmp_path, settings) as node:
        tally = Tally()
        client = Client(node.token, tally, patience=6)
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
        node.stop()
        node.run("ledger", "verify")
        rows = services.postgres.ask("SELECT request_id, charge_nanos FROM request_log")
        charges = {request_id: int(nanos) for request_id, nanos in rows}
        for request_id in tally.whole:
            assert charges.get(request_id) == COST_NANOS, request_id
