#!/usr/bin/env python3
"""Measures what the worst request bodies of one token do to the calls of another token.

    bench/speed/neighbours.py                                   60 seconds with target/release/modelgate
    bench/speed/neighbours.py --short --program target/debug/modelgate

Eight clients of one token send bodies that are expensive to read and convert, just below the limits. A client of another
token sends a call of 1 KB each 10 ms; another one asks for /healthz. Both are measured before and meanwhile.
The exit status is 1 if a target is missed.
"""

import argparse
import gzip
import http.client
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import modelgate
from places import ROOT
from processes import Process, free_port, prepare

VICTIM, ATTACKER = "sk-bench-victim-0123456789abcdef", "sk-bench-attacker-0123456789abcdef"
ATTACKERS = 8
INTERVAL_S = 0.01
HEALTH_INTERVAL_S = 0.05
SIZE = 57_000_000
MAX_RATIO, MAX_HEALTH_MS, MAX_OVER_BUDGET_MB = 10, 100, 200

CONFIG = """[server]
listen = "127.0.0.1:{port}"
[outbound]
allow_private = ["127.0.0.0/8"]
[billing]
unpriced = "free"
[telemetry]
metrics_allow = ["127.0.0.0/8"]
[[tokens]]
name = "victim"
key = "{victim}"
[[tokens]]
name = "attacker"
key = "{attacker}"
[[channels]]
name = "small"
type = "openai"
base_url = "http://127.0.0.1:{small}/v1"
key = "sk-upstream"
models = ["small"]
dialects = ["chat"]
[[channels]]
name = "large"
type = "anthropic"
base_url = "http://127.0.0.1:{large}"
key = "sk-upstream"
models = ["large"]
"""
CHAT_ANSWER = {"id": "c", "object": "chat.completion", "created": 1, "model": "small",
               "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}],
               "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}}
MESSAGES_ANSWER = {"id": "m", "type": "message", "role": "assistant", "model": "large", "stop_reason": "end_turn",
                   "stop_sequence": None, "content": [{"type": "text", "text": "Hi"}],
                   "usage": {"input_tokens": 9, "output_tokens": 1}}


def chat(messages, **more):
    return json.dumps({"model": "large", "messages": messages, **more}).encode()


def bodies():
    """The worst bodies by name: the body, and its content encoding."""
    user = [{"role": "user", "content": "Hello"}]
    part = {"type": "text", "text": "word " * (SIZE // 90_000 // 5 - 8)}
    parts = chat([{"role": "user", "content": [part] * 90_000}])
    small = {name: {"type": "string"} for name in (f"a{number}" for number in range(12))}
    tools = [{"type": "function", "function": {"name": f"tool_{number}", "parameters": {
        "type": "object", "properties": small}}} for number in range(9_000)]
    deep = {"type": "string"}
    for _ in range(55):
        deep = {"type": "object", "properties": {"a": deep}}
    schemas = [{"type": "function", "function": {"name": f"deep_{number}", "parameters": deep}} for number in range(1_500)]
    ids = [f"call_{number}" for number in range(9_000)]
    calls = [{"id": name, "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}} for name in ids]
    results = [{"role": "tool", "tool_call_id": name, "content": "x" * 3_000} for name in reversed(ids)]
    one_text = chat([{"role": "user", "content": "\u00e4\n" * (SIZE // 8)}])
    return {
        "parts": (parts, None),
        "one text": (one_text, None),
        "tools": (chat(user, tools=tools), None),
        "schemas": (chat(user, tools=schemas), None),
        "results": (chat([*user, {"role": "assistant", "tool_calls": calls}, *results]), None),
        "compressed": (gzip.compress(parts, 1), "gzip"),
        "bomb": (gzip.compress(gzip.compress(bytes(1 << 30), 9), 9), "gzip, gzip"),
    }


def serve(listener, answer):
    """An upstream: reads a request and gives the same answer, on each connection."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    body = json.dumps(answer).encode()
    reply = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            with connection:
                answer_all(connection, reply)
            os._exit(0)
        connection.close()


def answer_all(connection, reply):
    buffer, received = bytearray(1 << 20), b""
    while True:
        while b"\r\n\r\n" not in received:
            count = connection.recv_into(buffer)
            if not count:
                return
            received += buffer[:count]
        head, _, received = received.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        left = int(lengths[0].split(b":")[1]) - len(received)
        received = b""
        while left > 0:
            left -= connection.recv_into(buffer, min(left, len(buffer)))
        connection.sendall(reply)


def upstream(answer):
    """Starts an upstream and returns its process and port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    process = multiprocessing.Process(target=serve, args=(listener, answer), daemon=False)
    process.start()
    return process, listener.getsockname()[1]


def post(connection, token, body, encoding=None):
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    if encoding:
        headers["content-encoding"] = encoding
    connection.request("POST", "/v1/chat/completions", body, headers)
    response = connection.getresponse()
    response.read()
    return response.status


def attack(port, given, first, until, counts):
    """Sends one body after the other until the time has come; puts how often each status came by name."""
    os.nice(19)
    names, seen = list(given), {}
    while time.monotonic() < until:
        name = names[first % len(names)]
        first += 1
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        try:
            status = post(connection, ATTACKER, *given[name])
        except OSError as error:
            status = type(error).__name__
        finally:
            connection.close()
        if status == 503:
            time.sleep(0.05)
        seen[name, status] = seen.get((name, status), 0) + 1
    counts.put(seen)


def probe(port, request, interval, seconds, out):
    """Sends a request again and again; puts the times from when each was due, and failures."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times, failures, due = [], 0, time.monotonic()
    until = due + seconds
    while due < until:
        time.sleep(max(0, due - time.monotonic()))
        try:
            failures += request(connection) != 200
        except OSError:
            failures += 1
            connection.close()
        times.append((time.monotonic() - due) * 1000)
        due += interval
    out.put((sorted(times), failures))


def small_call(connection):
    body = json.dumps({"model": "small", "messages": [{"role": "user", "content": "x" * 950}]}).encode()
    return post(connection, VICTIM, body)


def health(connection):
    connection.request("GET", "/healthz")
    response = connection.getresponse()
    response.read()
    return response.status


def measure(port, seconds):
    """Measures small calls and health checks for so long."""
    probes = []
    for request, interval in [(small_call, INTERVAL_S), (health, HEALTH_INTERVAL_S)]:
        out = multiprocessing.Queue()
        process = multiprocessing.Process(target=probe, args=(port, request, interval, seconds, out))
        process.start()
        probes.append((process, out))
    found = [out.get() for _, out in probes]
    for process, _ in probes:
        process.join()
    return found


def quantile(times, share):
    return times[min(len(times) - 1, int(len(times) * share))]


def start(program, folder, ports):
    """Sets a gateway up and serves."""
    port = free_port()
    file = folder / "modelgate.toml"
    file.write_text(CONFIG.format(port=port, victim=VICTIM, attacker=ATTACKER, small=ports[0], large=ports[1]))
    places = ["--data", str(folder / "data"), "--config", str(file)]
    setup = [program, "setup", "--password-stdin", "--demo", "--grant-usd", "1000000", *places]
    subprocess.run(setup, input=modelgate.PASSWORD + "\n", text=True, capture_output=True, check=True)
    everywhere = os.sched_getaffinity(0)
    process = Process([program, "serve", *places], everywhere, folder / "log")
    for _ in range(300):
        try:
            if health(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) == 200:
                return process, port
        except OSError:
            time.sleep(0.1)
    raise SystemExit((folder / "log").read_text())


def budget_mb(port):
    """The gateway's budget for request bodies, or what it should be if it does not tell."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics")
    for line in connection.getresponse().read().decode().splitlines():
        if line.startswith("modelgate_body_memory_limit_bytes "):
            return float(line.split()[1]) / 1e6
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 4e6


def peak_mb(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1000


def table(idle, loaded, peak, budget):
    """Prints the results; whether all targets are met."""
    (calls, failed), (checks, _) = loaded
    ratio = quantile(calls, 0.99) / quantile(idle[0][0], 0.99)
    rows = [("", "idle", "loaded", "target"),
            ("1 KB calls, p50 ms", f"{quantile(idle[0][0], 0.5):.2f}", f"{quantile(calls, 0.5):.2f}", ""),
            ("1 KB calls, p99 ms", f"{quantile(idle[0][0], 0.99):.2f}", f"{quantile(calls, 0.99):.2f}", ""),
            ("ratio of the p99", "", f"{ratio:.1f}", f"< {MAX_RATIO}"),
            ("1 KB calls that failed", str(idle[0][1]), str(failed), "0"),
            ("/healthz, max ms", f"{idle[1][0][-1]:.1f}", f"{checks[-1]:.1f}", f"< {MAX_HEALTH_MS}"),
            ("budget, MB", "", f"{budget:.0f}", ""),
            ("peak memory, MB", "", f"{peak:.0f}", f"< {budget + MAX_OVER_BUDGET_MB:.0f}")]
    for row in rows:
        print("{:<24}{:>10}{:>10}{:>10}".format(*row))
    return (ratio < MAX_RATIO and failed == 0 and checks[-1] < MAX_HEALTH_MS
            and peak < budget + MAX_OVER_BUDGET_MB)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--short", action="store_true", help="10 seconds")
    parser.add_argument("--shapes", help="only these bodies, by comma: parts, one text, tools, schemas, ...")
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "modelgate"))
    return parser.parse_args()


def main():
    given = arguments()
    seconds = 10 if given.short else given.seconds
    prepare()
    worst = bodies()
    worst = {name: worst[name] for name in (given.shapes.split(",") if given.shapes else worst)}
    print(", ".join(f"{name} {len(body) / 1e6:.1f} MB" for name, (body, _) in worst.items()))
    upstreams = [upstream(CHAT_ANSWER), upstream(MESSAGES_ANSWER)]
    with tempfile.TemporaryDirectory() as folder:
        process, port = start(given.program, Path(folder), [port for _, port in upstreams])
        try:
            measure(port, 1)
            idle = measure(port, max(5, seconds / 4))
            counts, until = multiprocessing.Queue(), time.monotonic() + seconds + 1
            attackers = [multiprocessing.Process(target=attack, args=(port, worst, first, until, counts))
                         for first in range(ATTACKERS)]
            for one in attackers:
                one.start()
            time.sleep(1)
            loaded = measure(port, seconds)
            total = {}
            for seen in (counts.get() for _ in attackers):
                for key, count in seen.items():
                    total[key] = total.get(key, 0) + count
            for (name, status), count in sorted(total.items(), key=str):
                print(f"sent {name}: {count} x {status}")
            is_met = table(idle, loaded, peak_mb(process.pid), budget_mb(port))
        finally:
            process.stop()
            for one, _ in upstreams:
                one.terminate()
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
