"""A scripted vendor on a free port: plays all four vendors by path and remembers what it was asked."""

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from vendors import ALL_VENDORS

A_WHILE_S = 0.05
COUNTS = {r"/v1/messages/count_tokens$": "input_tokens", r":countTokens$": "totalTokens"}


@dataclass
class Script:
    """What the vendor does next: a whole body, or a stream's bytes, with this status. The `late` bytes
    of a stream follow after a while, when the others have long been passed on."""

    body: bytes = b""
    stream: bytes = b""
    status: int = 200
    late: bytes = b""
    stream_type: str = "text/event-stream"


@dataclass
class Asked:
    """A call that arrived."""

    dialect: str
    streamed: bool
    request: dict
    headers: dict = field(repr=False)
    path: str = ""


class Vendor:
    """The server; tests set what it answers and look at what it was asked."""

    def __init__(self):
        self.script = Script()
        self.rule: Callable | None = None
        self.asked: list[Asked] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """Ends the server."""
        self.server.shutdown()
        self.server.server_close()

    def play(self, body=b"", stream=b"", status=200, late=b""):
        """Sets the answer of every call from now on and forgets earlier ones."""
        whole = body if isinstance(body, bytes) else json.dumps(body).encode()
        frames = b"".join(stream) if stream else b""
        self.script, self.asked, self.rule = Script(whole, frames, status, late), [], None

    def say(self, dialect, answer):
        """Lets this vendor give this answer, whole or streamed as it is asked."""
        vendor = ALL_VENDORS[dialect]
        self.play(vendor.body(answer), vendor.frames(answer))
        self.script.stream_type = getattr(vendor, "STREAM_TYPE", self.script.stream_type)

    def follow(self, rule):
        """Lets the vendor answer each call by a rule: from dialect and request to an answer."""
        self.rule, self.asked = rule, []

    @property
    def last(self):
        """The last call."""
        return self.asked[-1]

    def answer_to(self, asked):
        """What goes out for a call."""
        if self.rule is None:
            return self.script
        vendor, answer = ALL_VENDORS[asked.dialect], self.rule(asked.dialect, asked.request)
        return Script(json.dumps(vendor.body(answer)).encode(), b"".join(vendor.frames(answer)))

    def _handler(self):
        vendor = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers.get("content-length", 0))
                body, path = self.rfile.read(length), urlsplit(self.path).path
                if counted := count(path):
                    return self.send(Script(json.dumps(counted).encode()), False)
                asked = read_call(path, body, dict(self.headers))
                asked.path = self.path
                vendor.asked.append(asked)
                script = vendor.answer_to(asked)
                self.send(script, asked.streamed and script.status == 200)

            def do_GET(self):
                self.send(Script(b'{"error":{"message":"not here"}}', status=404), False)

            do_HEAD = do_GET

            def send(self, script, streamed):
                out = script.stream if streamed else script.body
                late = script.late if streamed else b""
                self.send_response(script.status)
                kind = script.stream_type if streamed else "application/json"
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(out) + len(late)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(out)
                if late:
                    time.sleep(A_WHILE_S)
                    self.wfile.write(late)

            def log_message(self, *_):
                """Stays silent."""

        return Handler


def count(path):
    """The answer to a question for a count of tokens, if this is one."""
    return next(({name: 40} for pattern, name in COUNTS.items() if re.search(pattern, path)), None)


def read_call(path, body, headers):
    """Which vendor was meant, and what it was asked."""
    request = json.loads(body)
    for name, vendor in ALL_VENDORS.items():
        if re.search(vendor.PATH, path):
            in_path = re.search(r":streamGenerateContent$|/converse-stream$", path)
            streamed = in_path is not None or request.get("stream") is True
            return Asked(name, streamed, request, headers)
    raise AssertionError(f"no vendor has the path {path}")
