"""Requests that servers and proxies read differently, sent as raw bytes."""

import json
import socket

import pytest

from client import send_raw
from gateway import TOKEN

HOST = b"host: gate.example\r\n"
BODY = json.dumps({"model": "demo-chat", "messages": [{"role": "user", "content": "hello"}]}).encode()


def head(*lines, method=b"POST", target=b"/v1/chat/completions", host=HOST, version=b"HTTP/1.1"):
    """The head of a request."""
    fields = b"".join(line + b"\r\n" for line in (f"authorization: Bearer {TOKEN}".encode(), *lines))
    return method + b" " + target + b" " + version + b"\r\n" + host + fields + b"\r\n"


def length(count):
    """A header with a length."""
    return f"content-length: {count}".encode()


def statuses(received):
    """The statuses of all responses in these bytes."""
    parts = received.split(b"HTTP/1.1 ")[1:]
    return [int(part[:3]) for part in parts]


REJECTED = {
    "no host": (head(host=b""), 400),
    "two hosts": (head(host=HOST + HOST), 400),
    "two different hosts": (head(host=HOST + b"Host: other.example\r\n"), 400),
    "empty host": (head(host=b"host:\r\n"), 400),
    "host with a path": (head(host=b"host: a/b\r\n"), 400),
    "host with a user": (head(host=b"host: u@a\r\n"), 400),
    "host with a space": (head(host=b"host: a b\r\n"), 400),
    "host with a bad port": (head(host=b"host: a:99999\r\n"), 400),
    "absolute target without host": (head(target=b"http://gate.example/v1/models", method=b"GET", host=b""), 400),
    "length and coding": (head(length(5), b"transfer-encoding: chunked") + b"0\r\n\r\n", 400),
    "coding and length": (head(b"transfer-encoding: chunked", length(5)) + b"0\r\n\r\n", 400),
    "two lengths": (head(length(5), length(6)), 400),
    "two equal lengths": (head(length(5), length(5)), 400),
    "list of lengths": (head(b"content-length: 5, 5"), 400),
    "signed length": (head(b"content-length: +5"), 400),
    "unknown coding": (head(b"transfer-encoding: gzip, chunked"), 501),
    "identity coding": (head(b"transfer-encoding: identity"), 501),
    "misspelled coding": (head(b"transfer-encoding: xchunked"), 501),
    "chunked twice": (head(b"transfer-encoding: chunked, chunked"), 400),
    "chunked is not last": (head(b"transfer-encoding: chunked, gzip"), 400),
    "coding in HTTP/1.0": (head(b"transfer-encoding: chunked", version=b"HTTP/1.0"), 400),
    "bare line feed after the request line": (head().replace(b" HTTP/1.1\r\n", b" HTTP/1.1\n"), 400),
    "bare line feed after a header": (head(b"x: y").replace(b"x: y\r\n", b"x: y\n"), 400),
    "bare line feeds only": (head().replace(b"\r\n", b"\n"), 400),
    "bare carriage return in a value": (head(b"x: y\rz: a"), 400),
    "space before the colon": (head(b"content-length : 5"), 400),
    "folded header": (head(b"x: y\r\n z"), 400),
    "space in a name": (head(b"x y: z"), 400),
    "line without a colon": (head(b"nothing"), 400),
    "zero byte in a value": (head(b"x: a\0b"), 400),
    "connect": (head(method=b"CONNECT", target=b"gate.example:443"), 405),
}


@pytest.mark.parametrize("name", REJECTED)
def test_ambiguous_request_is_rejected_and_the_connection_closed(gateway, name):
    data, status = REJECTED[name]
    hidden = head(method=b"GET", target=b"/healthz")
    received = send_raw(gateway.port, data + hidden)
    assert statuses(received) == [status], received
    head_text, _, body = received.partition(b"\r\n\r\n")
    assert b"connection: close" in head_text.lower()
    error = json.loads(body)
    assert error.get("error", error), "it is an error in the shape of the path"


def test_ambiguous_request_is_rejected_after_good_ones_on_the_same_connection(gateway):
    chunked = head(b"transfer-encoding: chunked") + f"{len(BODY):x}\r\n".encode() + BODY + b"\r\n0\r\n\r\n"
    plain = head(length(len(BODY))) + BODY
    bad = head(b"transfer-encoding: chunked", length(5)) + b"0\r\n\r\n"
    received = send_raw(gateway.port, plain + chunked + plain + bad + plain)
    assert statuses(received) == [200, 200, 200, 400], received


@pytest.mark.parametrize("body", [b"x\r\n", b"1\na\r\n0\r\n\r\n", b"1\r\nab\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n",
                                  b"1;\n\r\na\r\n0\r\n\r\n", b"0\r\na: b\n\r\n\r\n"])
def test_request_hidden_behind_invalid_chunks_is_not_answered(gateway, body):
    hidden = head(method=b"GET", target=b"/healthz")
    received = send_raw(gateway.port, head(b"transfer-encoding: chunked") + body + hidden)
    assert statuses(received) in ([], [400]), received
    assert b'"ok"' not in received


def test_request_hidden_in_a_body_is_not_answered(gateway):
    body = head(method=b"GET", target=b"/healthz")
    data = head(length(len(body))) + body + head(b"connection: close", method=b"GET", target=b"/v1/models")
    received = send_raw(gateway.port, data)
    assert statuses(received) == [400, 200], received


def test_large_and_slow_requests_still_work(gateway):
    large = json.dumps({"model": "demo-chat", "messages": [{"role": "user", "content": "hello " * 10_000}]}).encode()
    data = head(length(len(large))) + large + head(length(len(BODY)), b"connection: close") + BODY
    assert statuses(send_raw(gateway.port, data)) == [200, 200]
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as connection:
        for byte in head(b"expect: 100-continue", length(len(BODY)), b"connection: close"):
            connection.sendall(bytes([byte]))
        received = connection.recv(65536)
        assert received.startswith(b"HTTP/1.1 100 "), received
        connection.sendall(BODY)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    assert b"HTTP/1.1 200 OK" in received


def test_websocket_at_responses_gets_426(gateway):
    upgrade = (b"connection: Upgrade", b"upgrade: websocket", b"sec-websocket-version: 13",
               b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==")
    closing = head(b"connection: close", method=b"GET", target=b"/v1/responses")
    received = send_raw(gateway.port, head(*upgrade, method=b"GET", target=b"/v1/responses") + closing)
    assert statuses(received) == [426, 405], received
    first = received.split(b"\r\n\r\n")[0].lower()
    assert b"upgrade: http/1.1" in first, first
    assert b'"code":"websocket_unsupported"' in received.replace(b" ", b"")


# Frames of HTTP/2 by hand: their length, type, flags and stream; headers as literals that are in no table.
SETTINGS, HEADERS = 4, 1
END = 5
STATUS = {b"\x88": 200, b"\x8c": 400}


def frame(kind, flags, stream, payload):
    """A frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(text):
    """A short text in HPACK."""
    return bytes([len(text)]) + text


def http2_status(port, fields):
    """The status of the response to a request with these fields."""
    block = b"".join(b"\0" + literal(name) + literal(value) for name, value in fields)
    data = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END, 1, block)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(data)
        with connection.makefile("rb") as received:
            while first := received.read(9):
                payload = received.read(int.from_bytes(first[:3], "big"))
                if first[3] == HEADERS:
                    return STATUS.get(payload[:1], payload)
    return None


def test_http2_checks_the_host(gateway):
    base = [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/healthz")]
    authority, host = (b":authority", b"gate.example"), (b"host", b"gate.example")
    for fields, status in [
        ([*base, authority], 200),
        ([*base, host], 200),
        ([*base, authority, host], 200),
        (base, 400),
        ([*base, authority, (b"host", b"other.example")], 400),
        ([*base, authority, host, host], 400),
        ([*base, (b"host", b"a/b")], 400),
    ]:
        assert http2_status(gateway.port, fields) == status, fields


def test_metrics_need_a_token_a_listed_network_or_an_administrator(gateway, root):
    def status(*lines):
        data = head(*lines, b"connection: close", method=b"GET", target=b"/metrics")
        return statuses(send_raw(gateway.port, data))

    assert status() == [403], "a private address is not enough"
    assert status(b"x-forwarded-for: 127.0.0.1") == [403]
    assert root.send("GET", "/metrics").status == 200, "the console shows them"
