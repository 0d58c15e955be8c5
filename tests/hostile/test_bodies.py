"""Request bodies: content encodings, the memory budget, and the work pool that is fair between users."""

import base64
import concurrent.futures
import gzip
import json
import socket
import struct
import time
import zlib

import pytest

from answers import Answer, Text
from client import Session, call, request
from gateway import TOKEN, Gateway
from program import PASSWORD

MIB = 1 << 20
OTHER_TOKEN = "sk-other0123456789other0123456789other0123456789othr"
# One job at a time for each user, on one thread; a budget that a few bodies fill.
SETTINGS = """
[limits]
body_bytes = 2097152
body_memory_bytes = 16777216
offload_bytes = 65536
offload_threads = 1
offload_user_jobs = 1
[telemetry]
metrics_allow = ["127.0.0.0/8"]
[[tokens]]
name = "other"
user = "other"
key = "{token}"
"""
# Compressed by the encoder of Node.js: CHAT with 30 spaces after it, and 20 MiB of zeros.
BROTLI = "G18AMJwHdoyDRDUY3Ju7CrXI3lbLgqtLHZa+BOnq8xg7Z3hE3zQ32IDTxV/WaIYRP2irEbY8NFFbAuHF4r8J"
BROTLI_BOMB = "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v1f/v//4J8AiMMCAN37Hw=="
CHAT = '{"model":"up-chat","messages":[{"role":"user","content":"Hello"}]}'


def zstd(body):
    """A zstd frame of blocks that are not compressed."""
    size = struct.pack("<I", len(body))
    blocks = [body[at : at + 100_000] for at in range(0, len(body), 100_000)]
    out = b"\x28\xb5\x2f\xfd\xa0" + size
    for number, block in enumerate(blocks):
        is_last = number + 1 == len(blocks)
        out += struct.pack("<I", len(block) << 3 | is_last)[:3] + block
    return out


def zstd_bomb():
    """20 MiB of zeros, in blocks of one repeated byte."""
    head = b"\x28\xb5\x2f\xfd\x00\x58"
    block = 100_000 << 3 | 2
    return head + b"".join(struct.pack("<I", block | (number == 209))[:3] + b"\0" for number in range(210))


def raw_deflate(body):
    """Deflate without the header of zlib, as some clients send it."""
    encoder = zlib.compressobj(wbits=-15)
    return encoder.compress(body) + encoder.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstd,
    "identity": bytes,
    "gzip, zstd": lambda body: zstd(gzip.compress(body)),
}


@pytest.fixture(scope="module")
def small_gateway(one_vendor):
    """A gateway with small limits, and a second user with a token."""
    gateway = Gateway(one_vendor.address, extra=SETTINGS.format(token=OTHER_TOKEN))
    try:
        root = Session(gateway.port)
        root.data("POST", "/api/user/", {"username": "other", "password": PASSWORD})
        wait_for(lambda: call(gateway.port, "chat", b"{}", OTHER_TOKEN).status != 401)
        yield gateway
    finally:
        gateway.close()


@pytest.fixture
def answering(vendor):
    """The vendor, which answers every call."""
    vendor.follow(lambda dialect, request: Answer((Text("Hi"),)))
    return vendor


def wait_for(condition):
    """Polls until a condition holds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "the condition never held"
        time.sleep(0.02)


def chat(model="up-chat", size=0):
    """A chat body with about this many bytes, in many parts."""
    part = {"type": "text", "text": "word " * 200}
    parts = [part] * max(1, size // 1020)
    return json.dumps({"model": model, "messages": [{"role": "user", "content": parts}]}).encode()


def metric(gateway, name):
    """The value of a metric without labels."""
    page = request(gateway.port, "GET", "/metrics").body.decode()
    return float(next(line for line in page.splitlines() if line.startswith(name + " ")).split()[1])


@pytest.mark.parametrize("size", [0, 300_000])
@pytest.mark.parametrize("encoding", ENCODERS)
def test_an_encoded_body_reaches_the_vendor_decoded(small_gateway, answering, encoding, size):
    body = chat(size=size)
    headers = {"content-encoding": encoding}
    response = call(small_gateway.port, "chat", ENCODERS[encoding](body), headers=headers)
    assert response.status == 200, response.body
    assert answering.last.request == json.loads(body)
    assert "content-encoding" not in {name.lower() for name in answering.last.headers}


def test_brotli_and_deflate_without_header_are_decoded(small_gateway, answering):
    for encoding, body in [("br", base64.b64decode(BROTLI)), ("deflate", raw_deflate(CHAT.encode()))]:
        response = call(small_gateway.port, "chat", body, headers={"content-encoding": encoding})
        assert response.status == 200, response.body
        assert answering.last.request == json.loads(CHAT)


def test_an_encoded_body_is_converted_for_another_dialect(small_gateway, answering):
    body = zstd(chat("up-messages", 300_000))
    response = call(small_gateway.port, "chat", body, headers={"content-encoding": "zstd"})
    assert response.status == 200, response.body
    assert answering.last.dialect == "messages"


def test_an_encoded_form_is_decoded(small_gateway):
    parts = {"model": "demo-transcribe", "file": "x" * 5_000}
    form = "".join(
        f'--X\r\ncontent-disposition: form-data; name="{name}"'
        + ('; filename="a.mp3"' if name == "file" else "")
        + f"\r\n\r\n{value}\r\n"
        for name, value in parts.items()
    )
    headers = {
        "authorization": f"Bearer {TOKEN}",
        "content-type": "multipart/form-data; boundary=X",
        "content-encoding": "gzip",
    }
    body = gzip.compress((form + "--X--\r\n").encode())
    response = request(small_gateway.port, "POST", "/v1/audio/transcriptions", body, headers)
    assert response.status == 200, response.body


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(bytes(20 * MIB))),
        ("deflate", zlib.compress(bytes(20 * MIB))),
        ("br", base64.b64decode(BROTLI_BOMB)),
        ("zstd", zstd_bomb()),
        ("gzip, gzip", gzip.compress(gzip.compress(bytes(20 * MIB)))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bomb_is_too_large(small_gateway, vendor, encoding, body):
    response = call(small_gateway.port, "messages", body, headers={"content-encoding": encoding})
    assert response.status == 413, response.body
    assert response.json()["type"] == "error"
    assert vendor.asked == []
    assert metric(small_gateway, "modelgate_body_memory_bytes") == 0


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses", "generate"])
def test_other_encodings_and_broken_bodies_are_rejected(small_gateway, vendor, dialect):
    port, body = small_gateway.port, json.dumps({"model": f"up-{dialect}"}).encode()
    for encoding in ["compress", "gzip, gzip, gzip", "gzip;q=1"]:
        response = call(port, dialect, body, headers={"content-encoding": encoding})
        assert response.status == 415, (encoding, response.body)
        assert "zstd" in response.error()["message"]
    for encoding in ["gzip", "deflate", "br", "zstd"]:
        for broken in [b"\xff" * 100, gzip.compress(body)[:-3]]:
            response = call(port, dialect, broken, headers={"content-encoding": encoding})
            assert response.status == 400, (encoding, response.body)
    assert vendor.asked == []


class Upload:
    """A request of which a part of the body has been sent."""

    def __init__(self, port, length, sent, token=TOKEN):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer {token}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        self.connection.sendall(head.encode() + b" " * sent)

    def close(self):
        """Leaves."""
        self.connection.close()


def test_beyond_the_memory_budget_others_are_served(small_gateway, answering):
    port, large = small_gateway.port, chat(size=MIB)
    # One user may have twelve of sixteen MiB.
    uploads = [Upload(port, 1_999_999, 1_950_000) for _ in range(6)]
    wait_for(lambda: metric(small_gateway, "modelgate_body_memory_bytes") >= 11_000_000)
    rejected = call(port, "chat", large)
    assert rejected.status == 503, rejected.body
    assert int(rejected.headers["retry-after"]) >= 1
    assert rejected.error()["message"]
    # Small calls of the same token, and large ones of another user.
    assert call(port, "chat", chat()).status == 200
    assert call(port, "chat", large, OTHER_TOKEN).status == 200
    more = [Upload(port, 1_300_000, 1_250_000, OTHER_TOKEN) for _ in range(2)]
    wait_for(lambda: metric(small_gateway, "modelgate_body_memory_bytes") >= 14_100_000)
    # The last eighth is for bodies that are not large.
    assert call(port, "chat", large, OTHER_TOKEN).status == 503
    assert call(port, "chat", chat(size=200_000), OTHER_TOKEN).status == 200
    assert metric(small_gateway, "modelgate_body_memory_rejected_total") >= 2
    for upload in uploads + more:
        upload.close()
    wait_for(lambda: metric(small_gateway, "modelgate_body_memory_bytes") == 0)
    assert call(port, "chat", large).status == 200


def test_a_user_who_fills_the_queue_does_not_stop_another_one(small_gateway, answering):
    port, large = small_gateway.port, chat("up-messages", 300_000)
    with concurrent.futures.ThreadPoolExecutor(12) as threads:
        greedy = [threads.submit(call, port, "chat", large) for _ in range(12)]
        others = [call(port, "chat", large, OTHER_TOKEN).status for _ in range(3)]
        small = call(port, "chat", chat()).status
        statuses = [response.result().status for response in greedy]
    assert others == [200, 200, 200] and small == 200
    assert set(statuses) == {200, 503}, statuses
    rejected = next(one.result() for one in greedy if one.result().status == 503)
    assert int(rejected.headers["retry-after"]) >= 1
    assert metric(small_gateway, "modelgate_offload_rejected_total") >= statuses.count(503)
    assert metric(small_gateway, "modelgate_offload_jobs") == 0
