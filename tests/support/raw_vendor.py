"""A vendor that answers with bytes: bodies that are cut, streams that stay open, WebSockets."""

import base64
import hashlib
import json
import socket
import threading

LONGEST_HEAD = 64 * 1024
PATIENCE_S = 20
WEBSOCKET_KEY = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class RawVendor:
    """A listener; `script` gets each connection with the head of its request and answers as it likes."""

    def __init__(self):
        self.script = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:" + str(self.listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Ends the listener."""
        self.listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        connection.settimeout(PATIENCE_S)
        with connection:
            try:
                self.script(connection, read_request(connection))
            except OSError:
                pass


def read_request(connection):
    """Reads a request with its body and gives its head."""
    received = b""
    while b"\r\n\r\n" not in received:
        assert len(received) < LONGEST_HEAD
        received += connection.recv(65536) or fail()
    head, _, body = received.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    while len(body) < length:
        body += connection.recv(65536) or fail()
    return head


def fail():
    """The client has left."""
    raise ConnectionError("the client has left")


def until_closed(connection):
    """Waits until the gateway closes the connection."""
    while connection.recv(65536):
        pass


def head(kind, length=None, status="200 OK"):
    """The head of an answer: with a length, in chunks (`"chunks"`), or up to the end of the connection."""
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}"]
    if length == "chunks":
        lines.append("transfer-encoding: chunked")
    elif length is not None:
        lines.append(f"content-length: {length}")
    return "\r\n".join([*lines, "", ""]).encode()


def chunk(data):
    """A chunk of a body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def upgraded(connection, request, events):
    """Accepts a WebSocket and sends these events."""
    key = next(line[18:].strip() for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:"))
    accepted = base64.b64encode(hashlib.sha1(key + WEBSOCKET_KEY).digest()).decode()
    lines = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: upgrade"]
    lines.append(f"sec-websocket-accept: {accepted}")
    if protocol := next((line for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-protocol:")), None):
        lines.append("sec-websocket-protocol: " + protocol.split(b":")[1].split(b",")[0].strip().decode())
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    for event in events:
        connection.sendall(websocket_frame(event if isinstance(event, bytes) else json.dumps(event).encode()))


def websocket_frame(payload, kind=0x81):
    """A frame of a server."""
    length = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + len(payload).to_bytes(2)
    return bytes([kind]) + length + payload
