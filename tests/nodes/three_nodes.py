#!/usr/bin/env python3
"""Three nodes on a PostgreSQL and a Redis of their own, under load, while things are changed and broken.

    tests/nodes/three_nodes.py [--program target/release/modelgate] [--pause 5] [--throughput 8] [--log FILE]

Prints figures for each phase and exits with 1 where something that must hold does not: an edit is obeyed
everywhere within a second, a rolling restart cuts no stream, the ledger balances, and every answer that a
client has was charged once.
"""

import argparse
import http.client
import json
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from clients import COST_NANOS, HELLO, Client, Load, Tally  # noqa: E402
from cluster import Cluster, cpu_s, cpu_with_children  # noqa: E402
from loopback import wait_until  # noqa: E402
from program import PASSWORD, REPOSITORY  # noqa: E402
from services import Services  # noqa: E402

SOON_S = 1.0
# Of each node: more nodes get more calls.
CONNECTIONS = 32


class Office:
    """The management interface of one node, as root."""

    def __init__(self, node):
        self.node = node
        self.cookie = None
        reply = self.ask("POST", "/api/user/login", {"username": "root", "password": PASSWORD})
        self.user = reply["id"]

    def ask(self, method, path, body=None):
        """One call; its data."""
        connection = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=10)
        headers = {"content-type": "application/json"} | ({"cookie": self.cookie} if self.cookie else {})
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        reply = connection.getresponse()
        envelope = json.load(reply)
        assert envelope["success"], f"{method} {path}: {envelope}"
        if cookie := reply.headers["set-cookie"]:
            self.cookie = cookie.split(";")[0]
        connection.close()
        return envelope["data"]


def until_obeyed(cluster, is_obeyed):
    """Seconds until every node obeys, from now on."""
    begun = time.monotonic()
    for node in cluster.nodes:
        wait_until(lambda node=node: is_obeyed(node), f"{node.port} obeys", 5)
    return time.monotonic() - begun


def edits(cluster, rounds):
    """How long edits on one node take to be obeyed by all; the longest of each kind."""
    office, quiet = Office(cluster.nodes[0]), Tally()
    clients = {node.port: Client("", quiet) for node in cluster.nodes}

    def status(node, key):
        clients[node.port].token = key
        return clients[node.port].call(node)

    longest = {}

    def measure(kind, is_obeyed):
        longest[kind] = max(longest.get(kind, 0), until_obeyed(cluster, is_obeyed))

    channel = office.ask("GET", "/api/channel/")["items"][0]["id"]
    for _ in range(rounds):
        token = office.ask("POST", "/api/token/", {"name": "edits"})
        ident, key = token["id"], token["key"]
        assert all(status(node, key) == 200 for node in cluster.nodes)
        office.ask("PUT", "/api/token/", {"id": ident, "status": 2})
        measure("token disabled", lambda node: status(node, key) == 401)
        office.ask("PUT", "/api/token/", {"id": ident, "status": 1})
        measure("token enabled", lambda node: status(node, key) == 200)
        office.ask("POST", f"/api/channel/{channel}/state", {"state": "off"})
        measure("channel off", lambda node: status(node, key) in (404, 503))
        office.ask("POST", f"/api/channel/{channel}/state", {"state": "on"})
        measure("channel on", lambda node: status(node, key) == 200)
        office.ask("DELETE", f"/api/token/{ident}")
        measure("token deleted", lambda node: status(node, key) == 401)
    made = office.ask("POST", "/api/user/", {"username": f"person{time.time_ns()}", "password": PASSWORD, "quota": 5000})
    token = json.loads(cluster.nodes[0].run("token", "--json", "create", "x", "--user", made["username"]))
    assert all(status(node, token["key"]) == 200 for node in cluster.nodes)
    cluster.nodes[0].run("user", "disable", made["username"])
    measure("user disabled by a command", lambda node: status(node, token["key"]) == 401)
    return longest


def wrk(nodes, token, seconds):
    """Calls a second over these nodes, at once, each asked by a process of its own."""
    script = f"""
wrk.method = "POST"
wrk.headers["authorization"] = "Bearer {token}"
wrk.headers["content-type"] = "application/json"
wrk.body = '{json.dumps(HELLO)}'
done = function(summary)
  io.write(string.format("%d %d %d\\n", summary.requests, summary.duration, summary.errors.status))
end
"""
    path = nodes[0].folder / "load.lua"
    path.write_text(script)
    running = [
        subprocess.Popen(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(path),
                          f"{node.url}/v1/chat/completions"], stdout=subprocess.PIPE, text=True)
        for node in nodes
    ]
    calls = 0.0
    for process in running:
        requests, microseconds, errors = map(int, process.communicate()[0].splitlines()[-1].split())
        assert errors == 0, f"{errors} calls failed"
        calls += requests / microseconds * 1e6
    return calls


def throughput(cluster, services, seconds):
    """Calls a second of one node and of all, and what a call costs in processor time."""
    found = []
    for nodes in (cluster.nodes[:1], cluster.nodes):
        def used():
            spent = sum(cpu_s(node.process.pid) for node in cluster.nodes)
            records = cpu_with_children(services.postgres.process.pid)
            return spent, records + cpu_with_children(services.redis.process.pid)
        before = used()
        rate = wrk(nodes, cluster.token, seconds)
        own, others = (after - earlier for after, earlier in zip(used(), before))
        calls = rate * seconds
        found.append((len(nodes), rate, own / calls * 1e6, others / calls * 1e6))
    return found


def under_load(cluster, services, pause):
    """Everything that can go wrong, one after the other, while clients call."""
    tally = Tally()
    load = Load(cluster.nodes, cluster.token, tally)
    longest_stop = 0.0

    def phase(name, seconds=0.0):
        tally.phase = name
        time.sleep(seconds)

    phase("quiet", pause)
    phase("a node is killed")
    cluster.nodes[2].kill()
    time.sleep(pause)
    cluster.nodes[2].start()
    phase("quiet after the kill", pause / 2)
    phase("Redis is away")
    services.redis.stop()
    time.sleep(pause)
    services.redis.start()
    phase("Redis is back", pause / 2)
    phase("PostgreSQL is away")
    services.postgres.stop()
    time.sleep(pause)
    services.postgres.start()
    phase("PostgreSQL is back")
    wait_until(lambda: all(node.is_ready() for node in cluster.nodes), "all are ready again")
    time.sleep(pause / 2)
    phase("rolling restart")
    for node in cluster.nodes:
        begun = time.monotonic()
        node.stop()
        longest_stop = max(longest_stop, time.monotonic() - begun)
        node.start()
        time.sleep(0.5)
    phase("end", 1)
    load.close()
    return tally, longest_stop


def charged_once(cluster, services, tally):
    """Stops all nodes and compares what clients have with what was charged."""
    for node in cluster.nodes:
        node.stop()
    verified = cluster.nodes[0].run("ledger", "verify").strip()
    rows = services.postgres.ask("SELECT request_id, charge_nanos, status FROM request_log")
    charges = {}
    for request_id, nanos, status in rows:
        assert request_id not in charges, f"{request_id} is logged twice"
        charges[request_id] = (int(nanos), int(status))
    for request_id in tally.whole:
        assert charges.get(request_id) == (COST_NANOS, 200), f"{request_id}: {charges.get(request_id)}"
    for request_id in tally.whole_streams:
        assert charges[request_id][0] > COST_NANOS and charges[request_id][1] == 200, request_id
    logged = sum(nanos for nanos, _ in charges.values())
    ask = services.postgres.ask
    revenue = int(ask("SELECT balance_nanos FROM ledger_accounts WHERE kind = 'revenue'")[0][0])
    assert revenue == logged, f"{revenue} nano-dollars were taken, {logged} are logged"
    held = ask("SELECT COALESCE(SUM(balance_nanos), 0) FROM ledger_accounts WHERE kind IN ('held', 'owed')")
    assert held == [["0"]], f"{held} is still held or owed"
    charged = sum(1 for nanos, _ in charges.values() if nanos)
    return verified, len(tally.whole) + len(tally.whole_streams), charged


def show(tally):
    """The table of what clients saw."""
    for phase, seen in tally.seen.items():
        good = sum(count for what, count in seen.items() if what in ("ok", "ok: stream"))
        moved = seen.get("ok: moved to another node", 0)
        print(f"{phase}: {good} answers, {moved} moved on, failures {tally.failures(phase) or 'none'}, "
              f"slowest {tally.slowest[phase]:.2f} s")
        for what in tally.failures(phase):
            if example := tally.examples.get((phase, what)):
                print(f"  {what}: {example}")


def run(program=None, pause=5.0, seconds=8, rounds=10, keep=None):
    """The whole; gives the tally for more assertions."""
    services = Services()
    cluster = None
    try:
        cluster = Cluster(services, program=program)
        cluster.start()
        if seconds and shutil.which("wrk"):
            (_, one, own, others), (_, three, own3, others3) = throughput(cluster, services, seconds)
            print(f"throughput: one node {one:.0f} calls/s ({own:.0f} µs of a core a call in the node, {others:.0f} µs in "
                  f"PostgreSQL and Redis), three nodes {three:.0f} calls/s ({own3:.0f} µs, {others3:.0f} µs), "
                  f"ratio {three / one:.2f}")
        longest = edits(cluster, rounds)
        for kind, took in longest.items():
            print(f"edit: {kind}: obeyed by all three after {took * 1000:.0f} ms at most")
        tally, longest_stop = under_load(cluster, services, pause)
        show(tally)
        print(f"rolling restart: the slowest stop took {longest_stop:.1f} s, every exit status was 0")
        verified, had, charged = charged_once(cluster, services, tally)
        print(f"{verified}; clients have {had} answers, each charged once; {charged} calls were charged in all")
        assert max(longest.values()) < SOON_S, longest
        cut = sum(seen["stream cut"] for phase, seen in tally.seen.items() if phase == "rolling restart")
        assert cut == 0, f"the rolling restart cut {cut} streams"
        assert not tally.failures("rolling restart"), tally.failures("rolling restart")
        assert not tally.failures("quiet"), tally.failures("quiet")
        assert not tally.failures("Redis is away"), tally.failures("Redis is away")
        return tally
    finally:
        if cluster:
            if keep:
                logs = "".join(node.log.read_text() for node in cluster.nodes)
                pathlib.Path(keep).write_text(logs)
            cluster.close()
        services.close()


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--program", default=REPOSITORY / "target/release/modelgate", type=pathlib.Path)
    parser.add_argument("--pause", default=5.0, type=float, help="seconds that something stays broken")
    parser.add_argument("--throughput", default=8, type=int, help="seconds of each measurement; 0: none")
    parser.add_argument("--log", help="where the nodes' logs go")
    arguments = parser.parse_args()
    try:
        run(arguments.program.resolve(), arguments.pause, arguments.throughput, keep=arguments.log)
    except AssertionError as problem:
        print(f"FAILED: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
