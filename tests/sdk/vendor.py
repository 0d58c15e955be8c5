"""A scripted vendor on a free port: plays all four vendors by path and remembers what it was asked."""

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from vendors import VENDORS


@dataclass
class Script:
    """What the vendor does next: a whole body, or a stream's bytes, with this status."""

    body: bytes = b""
    stream: bytes = b""
    status: int = 200


@dataclass
class Asked:
    """A call that arrived."""

    dialect: str
    streamed: bool
    request: dict
    headers: dict = field(repr=False)


class Vendor:
    """The server; tests set what it answers and look at what it was asked."""

    def __init__(self):
        self.script = Script()
        self.asked: list[Asked] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """Ends the server."""
        self.server.shutdown()
        self.server.server_close()

    def play(self, body=b"", stream=b"", status=200):
        """Sets the answer of every call from now on and forgets earlier ones."""
        whole = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.script, self.asked = Script(whole, b"".join(stream) if stream else b"", status), []

    def say(self, dialect, answer):
        """Lets this vendor give this answer, whole or streamed as it is asked."""
        vendor = VENDORS[dialect]
        self.play(vendor.body(answer), vendor.frames(answer))

    @property
    def last(self):
        """The last call."""
        return self.asked[-1]

    def _handler(self):
        vendor = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers.get("content-length", 0))
                asked = read_call(self.path, self.rfile.read(length), dict(self.headers))
                vendor.asked.append(asked)
                self.answer(asked)

            def answer(self, asked):
                script = vendor.script
                streamed = asked.streamed and script.status == 200
                out = script.stream if streamed else script.body
                self.send_response(script.status)
                kind = "text/event-stream" if streamed else "application/json"
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

            def log_message(self, *_):
                """Stays silent."""

        return Handler


def read_call(path, body, headers):
    """Which vendor was meant, and what it was asked."""
    request = json.loads(body)
    for name, vendor in VENDORS.items():
        if re.search(vendor.PATH, path):
            streamed = "streamGenerateContent" in path or request.get("stream") is True
            return Asked(name, streamed, request, headers)
    raise AssertionError(f"no vendor has the path {path}")
