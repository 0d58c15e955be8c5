#!/usr/bin/env python3
"""Measures every list of the console on a seeded database, through the running program.

    bench/scale/measure.py --program target/release/modelgate --data DIR [--postgres URL] [--export]

Prints one line a list: how long the server took to answer, as a client on the same machine sees it,
the median and the 95th percentile of --rounds calls after one that is not counted. Exits with 1 when
a 95th percentile is above --most-ms. --export also reads a million calls as CSV and says by how much
the server grew.
"""

import argparse
import csv
import http.client
import io
import json
import os
import subprocess
import sys
import time
from threading import Thread
from urllib.parse import quote, urlencode

PASSWORD = "correct horse battery"
DAY_MS = 86_400_000
SEEDED_USER, SEEDED_TOKEN, SEEDED_CHANNEL = 1_000, 1_000, 1_000


def lists(now):
    """Every list, as (name, path): with each filter, first and deep pages."""
    def moment(days):
        seconds = (now - days * DAY_MS) / 1000
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

    yield "users", "/api/user/"
    yield "users, last page", "/api/user/?p=500"
    yield "users, search", "/api/user/?search=user9999"
    yield "users, disabled", "/api/user/?status=2"
    for sort in ["-used_quota", "-last_login_at", "last_login_at", "username", "created_at"]:
        yield f"users, by {sort}", f"/api/user/?sort={sort}"
    yield "tokens, own", "/api/token/"
    yield "tokens, own, last page", "/api/token/?p=50"
    yield "tokens, all", "/api/token/?user_id=0"
    yield "tokens, all, last page", "/api/token/?user_id=0&p=500"
    yield "tokens, all, search", "/api/token/?user_id=0&search=token+49999"
    yield "tokens, all, search, many found", "/api/token/?user_id=0&search=token+4"
    yield "tokens, all, search, two letters", "/api/token/?user_id=0&search=zz"
    for sort in ["-last_used_at", "last_used_at", "name", "-name", "expires_at", "-expires_at"]:
        yield f"tokens, all, by {sort}", f"/api/token/?user_id=0&sort={sort}"
    yield "orders", "/api/topup/all"
    yield "orders, paid", "/api/topup/all?status=paid"
    yield "orders, last page", "/api/topup/all?p=500"
    yield "codes", "/api/redemption/"
    yield "codes, last page", "/api/redemption/?p=500"
    yield "audit", "/api/audit/"
    yield "audit, actor", f"/api/audit/?actor_id={SEEDED_USER + 7}"
    yield "audit, object", f"/api/audit/?object_kind=user&object_id={SEEDED_USER + 7}"
    yield "channels", "/api/channel/"
    filters = {
        "": {},
        "own": {"user_id": SEEDED_USER},
        "rare user": {"user_id": SEEDED_USER + 90_000},
        "token": {"token_id": SEEDED_TOKEN},
        "channel": {"channel_id": SEEDED_CHANNEL + 3},
        "model": {"model": "model-7"},
        "cause": {"error_cause": "timeout"},
        "range": {"from": moment(12), "to": moment(11)},
        "status": {"status": 502},
        "class": {"status_class": "server_error"},
        "endpoint": {"endpoint": "/v1/embeddings"},
        "upstream model": {"upstream_model": "vendor-model-7"},
        "streamed": {"stream": "true"},
        "dear": {"min_charge_usd": "0.01"},
        "slow": {"min_total_ms": 15_000},
        "source": {"source": "playground"},
        "address": {"ip": "10.0.7.7"},
        "user and model": {"user_id": SEEDED_USER, "model": "model-3"},
        "none": {"model": "no-such-model"},
        "none, unindexed": {"ip": "192.0.2.1"},
    }
    for name, query in filters.items():
        yield ", ".join(filter(None, ["calls", name])), "/api/log/?" + urlencode(query)
    yield "one call", "/api/log/seed-5000"
    for days, span in [(1, "day"), (7, "week"), (30, "month")]:
        for scope, who in [("all", "all"), (f"all&user_id={SEEDED_USER}", "one user")]:
            query = f"scope={scope}&from={quote(moment(days))}"
            yield f"summary, {who}, {span}", f"/api/stats/summary?{query}"
            yield f"percentiles, {who}, {span}", f"/api/stats/percentiles?{query}"
            yield f"series, {who}, {span}", f"/api/stats/timeseries?{query}"
            by_model = f"/api/stats/timeseries?{query}&group_by=model"
            yield f"series by model, {who}, {span}", by_model
            for by in ["model", "channel", "endpoint", "token", "user"]:
                yield f"by {by}, {who}, {span}", f"/api/stats/breakdown?{query}&by={by}"
        since = f"from={quote(moment(days))}"
        yield f"top users, {span}", f"/api/stats/top?scope=all&by=user&{since}"
        yield f"errors, {span}", f"/api/stats/errors?{since}"
        yield f"channel health, {span}", f"/api/stats/channel_health?{since}"
    yield "usage of a token", f"/api/token/{SEEDED_TOKEN}/usage"


class Server:
    """The program on the seeded records, and an administrator who is logged in."""

    def __init__(self, given):
        environment = dict(os.environ)
        if given.postgres:
            environment["MODELGATE_DATABASE__URL"] = given.postgres
        command = [given.program, "serve", "--data", given.data, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            address = address_in(line)
            if address:
                break
        else:
            raise SystemExit("the server did not start")
        # Lines that nobody reads would fill the pipe, and the server would wait for room in it.
        Thread(target=self.process.stderr.read, daemon=True).start()
        self.connection = http.client.HTTPConnection(address, timeout=300)
        body = json.dumps({"username": "root", "password": PASSWORD})
        headers = {"content-type": "application/json"}
        self.connection.request("POST", "/api/user/login", body, headers)
        reply = self.connection.getresponse()
        if reply.status != 200:
            raise SystemExit(f"login: {reply.status} {reply.read()[:300]}")
        self.headers = {"cookie": reply.getheader("set-cookie").split(";")[0]}
        reply.read()

    def get(self, path):
        self.connection.request("GET", path, headers=self.headers)
        return self.connection.getresponse()

    def resident_kb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            found = [line for line in status if line.startswith("VmRSS")]
        return int(found[0].split()[1])

    def stop(self):
        self.process.terminate()
        self.process.wait()


def address_in(line):
    try:
        event = json.loads(line)
    except ValueError:
        return None
    address = str(event.get("address") or event.get("fields", {}).get("address") or "")
    return address if address.startswith("127.0.0.1:") else None


def measure(server, path, rounds):
    times = []
    for turn in range(rounds + 1):
        began = time.monotonic()
        reply = server.get(path)
        text = reply.read()
        took = (time.monotonic() - began) * 1000
        if reply.status != 200:
            raise SystemExit(f"{path}: {reply.status} {text[:300]}")
        times.append(took)
    first, times = times[0], sorted(times[1:])
    return first, times[len(times) // 2], times[min(len(times) - 1, len(times) * 95 // 100)]


def export(server):
    """Reads a million calls and looks for cells that a spreadsheet would take for a formula."""
    before = most = server.resident_kb()
    reply = server.get("/api/log/export?scope=all&format=csv")
    began, count, dangerous, disarmed = time.monotonic(), 0, 0, 0
    rows = csv.reader(io.TextIOWrapper(reply, encoding="utf-8", newline=""))
    next(rows)
    for row in rows:
        count += 1
        dangerous += sum(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for cell in row)
        disarmed += sum(cell[:2] == "'=" for cell in row)
        if count % 5_000 == 0:
            most = max(most, server.resident_kb())
        if count == 1_000_000:
            break
    took = time.monotonic() - began
    print(f"export: {count} calls in {took:.0f} s; {dangerous} cells are formulas, {disarmed} were "
          f"disarmed; the server grew by {(most - before) / 1024:.1f} MiB from {before / 1024:.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--postgres", metavar="URL")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--most-ms", type=float, default=100)
    parser.add_argument("--only", default="", help="only lists whose name has this in it")
    parser.add_argument("--export", action="store_true")
    given = parser.parse_args()
    server = Server(given)
    now, slow = int(time.time() * 1000), []
    try:
        print(f"{'list':42} {'first':>9} {'median':>9} {'95th':>9}  ms")
        for name, path in lists(now):
            if given.only in name:
                first, median, high = measure(server, path, given.rounds)
                mark = "  slow" if high > given.most_ms else ""
                print(f"{name:42} {first:9.1f} {median:9.1f} {high:9.1f}{mark}", flush=True)
                slow += [name] if mark else []
        if given.export:
            export(server)
    finally:
        server.stop()
    print(f"{len(slow)} lists are above {given.most_ms:.0f} ms")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
