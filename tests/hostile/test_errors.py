"""Error texts of upstreams: none reaches a client, the log row has all of them with secrets masked."""

import json
import re
import socket

import pytest

import raw_vendor as raw
from answers import Answer, Text
from client import PATHS, call, request
from gateway import TOKEN
from loopback import wait_until
from vendors import VENDORS
from vendors.wire import sse

TEXT = "vendor account org-77 is rate limited"
# What no client may read, and what the log keeps.
MARKER, MASKED = "vendor account", "vendor account *** is rate limited"
STATUSES = [401, 403, 429, 500, 503]
MESSAGES = [{"role": "user", "content": "Hi"}]


def question(dialect, model, streamed):
    """The smallest question of a dialect."""
    body = {
        "chat": {"model": model, "messages": MESSAGES},
        "messages": {"model": model, "messages": MESSAGES, "max_tokens": 50},
        "responses": {"model": model, "input": "Hi", "store": False},
        "generate": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    }[dialect]
    return body | ({"stream": True} if streamed and dialect != "generate" else {})


def ask(gateway, dialect, model, streamed):
    """Asks a model in a dialect."""
    body = question(dialect, model, streamed)
    if dialect == "generate" and streamed:
        path = PATHS["generate"].format(model=model).replace(":generateContent", ":streamGenerateContent?alt=sse")
        headers = {"authorization": f"Bearer {TOKEN}"}
        return request(gateway.port, "POST", path, body, headers)
    return call(gateway.port, dialect, body, model=model)


def row(root, request_id):
    """The log row of a call, once it is written."""
    found = []

    def is_there():
        response = root.send("GET", f"/api/log/{request_id}")
        found.append(response)
        return response.status == 200

    wait_until(is_there, f"the call {request_id} is in the log")
    return found[-1].json()["data"]


def check(root, response, what):
    """The client has not read the text, and the log row has it."""
    received = str(response.headers).encode() + response.body
    assert MARKER.encode() not in received, (what, received)
    assert b"org-77" not in received, (what, received)
    told = row(root, response.headers["x-request-id"])
    assert MASKED in json.dumps(told["attempts"]), (what, told)
    assert MARKER not in (told["error_message"] or ""), (what, told)
    assert told["charge_usd"] in ("0", "0.00", "0.0"), (what, told["charge_usd"])


def clients(upstream):
    """The upstream's own dialect, and another one."""
    return [upstream, "messages" if upstream != "messages" else "chat"]


@pytest.mark.parametrize("upstream", VENDORS)
def test_a_refusal_is_told_in_other_words(gateway, vendor, root, upstream):
    for status in STATUSES:
        vendor.play(VENDORS[upstream].error(status, TEXT), status=status)
        for streamed in (False, True):
            client = clients(upstream)[streamed]
            response = ask(gateway, client, gateway.failing_model(upstream), streamed)
            assert response.status in (429, 502, 503), (status, response.status)
            check(root, response, (upstream, client, status, streamed))


def good_status(upstream):
    """Errors that come with status 200."""
    error = {"message": TEXT, "type": "rate_limit_error", "code": "rate_limit_exceeded"}
    shapes = [VENDORS[upstream].error(503, TEXT), {"error": TEXT}]
    if upstream != "messages":
        shapes.append({"message": TEXT, "code": 429})
    if upstream == "chat":
        shapes.append({"id": "c", "choices": [{"index": 0, "finish_reason": "error", "error": error}]})
    if upstream == "responses":
        shapes.append({"id": "r", "object": "response", "status": "failed", "output": [], "error": error})
    return [json.dumps(shape).encode() for shape in shapes] + [TEXT.encode()]


@pytest.mark.parametrize("upstream", VENDORS)
def test_an_error_with_a_good_status_is_told_in_other_words(gateway, vendor, root, upstream):
    for number, body in enumerate(good_status(upstream)):
        vendor.play(body)
        client = clients(upstream)[number % 2]
        response = ask(gateway, client, gateway.failing_model(upstream), False)
        assert response.status in (429, 502, 503), (body, response.status, response.body)
        check(root, response, (upstream, client, body))


def failing_frames(upstream):
    """Frames that tell a failure."""
    frames = [VENDORS[upstream].error_frame(TEXT)]
    if upstream in ("chat", "generate"):
        error = {"code": 429, "message": TEXT}
        frames.append(b"data: " + json.dumps({"error": error}).replace("error", "err\\u006fr").encode() + b"\n\n")
        frames.append(b"data: " + TEXT.encode() + b"\n\n")
    else:
        frames.append(sse({"type": "error", "error": {"type": "overloaded_error", "message": TEXT}}, "error"))
    return frames


@pytest.mark.parametrize("upstream", VENDORS)
def test_an_error_inside_a_stream_is_told_in_other_words(gateway, vendor, root, upstream):
    begun = VENDORS[upstream].frames(Answer((Text("Half of an answer that goes on"),)))[:6]
    for frame in failing_frames(upstream):
        for client in clients(upstream):
            for before in ([], begun):
                # Content and error in one write are still a failure before content.
                vendor.play(stream=before or [frame], late=frame if before else b"")
                response = ask(gateway, client, gateway.failing_model(upstream), True)
                assert response.status == 200 if before else response.status >= 400, response.status
                check(root, response, (upstream, client, frame, bool(before)))


def test_a_failure_about_the_request_passes_without_secrets(gateway, vendor):
    text = "n is bad for org-77 (project number 1234567), ask ops@vendor.example at https://vendor.test/billing, key sk-ab***89"
    vendor.play(VENDORS["chat"].error(400, text), status=400)
    response = ask(gateway, "chat", gateway.failing_model("chat"), False)
    assert response.status == 400
    expected = "n is bad for *** (project number ***), ask *** at ***, key ***"
    assert response.error()["message"] == expected


def is_complete(received):
    """Reports whether a response other than a switch of protocols has ended."""
    head, separator, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return bool(separator and length) and len(body) >= int(length[1])


def upgrade(gateway, model):
    """Asks for a conversation; gives the status line and all that follows until the end."""
    lines = [
        f"GET /v1/realtime?model={model} HTTP/1.1",
        "host: localhost",
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        f"authorization: Bearer {TOKEN}",
    ]
    received = b""
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        while data := connection.recv(65536):
            received += data
            if is_complete(received):
                break
            if b"\x88" in data:
                # The close is answered, so that the gateway need not wait.
                connection.sendall(b"\x88\x80\0\0\0\0")
    return received


def test_a_refused_conversation_is_told_in_other_words(gateway, raw_vendor, raw_models):
    body = json.dumps({"error": {"message": TEXT, "type": "rate_limit_error"}}).encode()
    for status in ("401 Unauthorized", "403 Forbidden", "429 Too Many Requests", "503 Unavailable"):
        answer = raw.head("application/json", len(body), status) + body
        raw_vendor.script = lambda connection, _, answer=answer: connection.sendall(answer)
        received = upgrade(gateway, raw_models())
        assert b"HTTP/1.1 101" not in received, received
        assert b"x-request-id" in received.lower(), received
        assert MARKER.encode() not in received, received


def test_an_error_event_of_a_conversation_is_told_in_other_words(gateway, raw_vendor, raw_models):
    error = {"type": "rate_limit_error", "code": "rate_limit_exceeded", "message": TEXT}
    mine = {"type": "invalid_request_error", "message": "Bad voice.", "event_id": "e1"}
    events = [
        {"type": "error", "event_id": "e", "error": error},
        {"type": "error", "event_id": "e", "error": mine},
        {"type": "response.done", "response": {"id": "r", "status": "failed", "status_details": {"error": error}}},
        TEXT.encode(),
    ]

    def script(connection, head):
        raw.upgraded(connection, head, events)
        connection.sendall(raw.websocket_frame((4029).to_bytes(2) + TEXT.encode(), 0x88))
        raw.until_closed(connection)

    raw_vendor.script = script
    received = upgrade(gateway, raw_models())
    assert received.startswith(b"HTTP/1.1 101"), received
    assert MARKER.encode() not in received, received
    assert b"Bad voice." in received and b"response.done" in received, received
