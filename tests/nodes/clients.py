"""Clients of the nodes: calls over kept connections, through what a load balancer would do, counted."""

import collections
import http.client
import json
import threading
import time

HELLO = {"model": "demo-chat", "messages": [{"role": "user", "content": "Hello"}]}
# Sixty words at a pause of 50 ms: a stream of some three seconds.
LONG = {"model": "demo-chat", "stream": True,
        "messages": [{"role": "user", "content": " ".join(f"word{n}" for n in range(60))}]}
# Two input tokens at 0.10 and ten output tokens at 0.40 dollars for a million.
COST_NANOS = 4_200


class Tally:
    """What clients saw, phase by phase."""

    def __init__(self):
        self.lock = threading.Lock()
        self.phase = "start"
        self.seen = collections.defaultdict(collections.Counter)
        self.slowest = collections.Counter()
        self.whole = []
        self.whole_streams = []
        self.examples = {}

    def note(self, what, seconds=0.0, example=""):
        """Counts one outcome."""
        with self.lock:
            self.seen[self.phase][what] += 1
            self.slowest[self.phase] = max(self.slowest[self.phase], seconds)
            if example:
                self.examples.setdefault((self.phase, what), example)

    def failures(self, phase):
        """What went wrong for a client in a phase."""
        return {what: count for what, count in self.seen[phase].items() if not what.startswith("ok")}


class Balancer:
    """Says which node the next call goes to: in turn, among those that are ready."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.ready = list(nodes)
        self.turn = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self):
        while not self.is_over.wait(0.1):
            # While no node says that it is ready, calls go to those that were: that is what proxies do.
            ready = [node for node in self.nodes if node.is_ready()]
            self.ready = ready or self.ready

    def next(self):
        """The node for the next call."""
        self.turn += 1
        return self.ready[self.turn % len(self.ready)]

    def close(self):
        """Looks no more."""
        self.is_over.set()
        self.thread.join()


class Client:
    """One client: a kept connection to each node."""

    def __init__(self, token, tally, patience=60):
        self.token, self.tally, self.patience = token, tally, patience
        self.connections = {}

    def _send(self, node, body, headers):
        connection = self.connections.pop(node.port, None)
        is_kept = connection is not None
        connection = connection or http.client.HTTPConnection("127.0.0.1", node.port, timeout=self.patience)
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json", **headers}
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
            return connection, connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            connection.close()
            if not is_kept:
                raise
            # A kept connection was closed while nobody used it: every client library asks again.
            return self._send(node, body, headers)

    def call(self, node, body=None, headers=None, stream=False):
        """One call; gives its status, or none where the connection broke."""
        begun = time.monotonic()
        body, headers = body or HELLO, headers or {}
        try:
            connection, reply = self._send(node, body, headers)
        except ConnectionRefusedError:
            # Nobody listens: a proxy tries the next node, and no client sees it.
            self.tally.note("ok: moved to another node")
            return None
        except (OSError, http.client.HTTPException) as error:
            self.tally.note("broke before the answer", example=repr(error))
            return None
        try:
            answer = reply.read()
        except (OSError, http.client.HTTPException) as error:
            self.tally.note("stream cut" if stream else "broke in the answer", example=repr(error))
            connection.close()
            return None
        if reply.will_close:
            connection.close()
        else:
            self.connections[node.port] = connection
        took = time.monotonic() - begun
        request_id = reply.headers["x-request-id"]
        if reply.status != 200:
            self.tally.note(f"status {reply.status}", took, answer.decode(errors="replace")[:300])
        elif stream and not answer.rstrip().endswith(b"data: [DONE]"):
            self.tally.note("stream cut", took, answer[-200:].decode(errors="replace"))
        else:
            self.tally.note("ok: stream" if stream else "ok", took)
            with self.tally.lock:
                (self.tally.whole_streams if stream else self.tally.whole).append(request_id)
        return reply.status


class Load:
    """Clients that call all the time until the end."""

    def __init__(self, nodes, token, tally, callers=4, streamers=3):
        self.balancer = Balancer(nodes)
        self.is_over = threading.Event()
        self.token, self.tally = token, tally
        kinds = [self._call] * callers + [self._stream] * streamers
        self.threads = [threading.Thread(target=kind, daemon=True) for kind in kinds]
        for thread in self.threads:
            thread.start()

    def _call(self):
        client = Client(self.token, self.tally)
        while not self.is_over.is_set():
            if client.call(self.balancer.next()) != 200:
                time.sleep(0.05)

    def _stream(self):
        client = Client(self.token, self.tally)
        while not self.is_over.is_set():
            if client.call(self.balancer.next(), LONG, {"x-modelgate-demo": "pace=50"}, stream=True) != 200:
                time.sleep(0.05)

    def close(self):
        """Lets every client finish what it does."""
        self.is_over.set()
        for thread in self.threads:
            thread.join(120)
        self.balancer.close()
