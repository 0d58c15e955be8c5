"""Usage that the upstream does not report, and answers that have not ended."""

import base64
import http.client
import json
import re
import threading

import pytest

import raw_vendor as raw
from client import call, request
from gateway import TOKEN
from loopback import wait_until
from test_errors import ask, row
from vendors import VENDORS

WORDS = "one two three four five six seven eight nine ten"
IMAGE = base64.b64encode(bytes(300_000)).decode()


def chat_chunk(**delta):
    """A frame of a chat stream."""
    return b"data: " + json.dumps({"id": "c", "choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


def test_a_picture_counts_by_its_rule_when_the_client_leaves(gateway, raw_vendor, raw_models, root):
    left = threading.Event()

    def script(connection, _):
        frame = chat_chunk(role="assistant", content=WORDS)
        connection.sendall(raw.head("text/event-stream", "chunks") + raw.chunk(frame))
        raw.until_closed(connection)
        left.set()

    raw_vendor.script = script
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}}
    content = [{"type": "text", "text": "What is it?"}, image]
    body = {"model": raw_models(), "stream": True, "messages": [{"role": "user", "content": content}]}
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=20)
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    response = connection.getresponse()
    assert WORDS.encode() in response.read1(65536)
    request_id = response.headers["x-request-id"]
    response.close()
    connection.close()
    assert left.wait(20)
    told = row(root, request_id)
    usage = told["usage"]
    assert told["estimated"] and told["error_cause"] == "client_left", told
    assert 1_400 < usage["input_tokens"] < 1_500, usage
    assert usage["output_tokens"] == 10, usage


def escaped(event):
    """An event in JSON with escapes in every name and text."""
    return re.sub(r'"[^"]*"', lambda text: text[0].replace("e", "\\u0065"), json.dumps(event))


def silent_streams():
    """Streams of each dialect in JSON with spaces, without a usage."""
    choice = {"index": 0, "delta": {"content": WORDS}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    frames = {
        "chat": [{"choices": [choice]}, {"choices": [end]}],
        "generate": [
            {"candidates": [{"content": {"parts": [{"text": WORDS}], "role": "model"}}]},
            {"candidates": [{"finishReason": "STOP", "content": {"parts": [], "role": "model"}}]},
        ],
        "messages": [
            {"type": "message_start", "message": {"id": "m", "type": "message", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"index": 0, "delta": {"text": WORDS, "type": "text_delta"}, "type": "content_block_delta"},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"},
        ],
        "responses": [
            {"type": "response.created", "response": {"id": "r"}},
            {"delta": WORDS, "type": "response.output_text.delta", "output_index": 0, "content_index": 0},
            {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}},
        ],
    }
    for dialect, events in frames.items():
        end_of = [b"data: [DONE]\n\n"] if dialect == "chat" else []
        for spell in (json.dumps, escaped):
            yield dialect, [f"data: {spell(event)}\n\n".encode() for event in events] + end_of


@pytest.mark.parametrize("client", ["own", "messages"])
def test_words_count_however_they_are_written(gateway, vendor, root, client):
    for dialect, frames in silent_streams():
        asked = dialect if client == "own" else client
        if client != "own" and dialect == client:
            continue
        vendor.play(stream=frames)
        response = ask(gateway, asked, f"up-{dialect}", True)
        told = row(root, response.headers["x-request-id"])
        assert told["usage"]["output_tokens"] == 10, (dialect, frames, response.body, told)
        assert told["estimated"] and float(told["charge_usd"]) > 0, told


def empty_answers():
    """Answers that say nothing."""
    nothing = {"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}
    failed = {"index": 0, "message": {"role": "assistant", "content": WORDS}, "finish_reason": "error"}
    usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
    yield "chat", {"id": "c", "model": "m", "choices": [], "usage": usage}
    yield "chat", {"id": "c", "model": "m", "choices": [failed], "usage": usage}
    yield "chat", {"id": "c", "model": "m", "choices": [nothing]}
    yield "messages", {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"}
    yield "generate", {"candidates": [], "usageMetadata": {"promptTokenCount": 7}}
    yield "responses", {"id": "r", "object": "response", "status": "failed", "output": [], "usage": None}
    yield "responses", {"id": "r", "object": "response", "status": "completed", "output": []}


def test_an_answer_that_says_nothing_is_a_failure(gateway, vendor, root):
    for dialect, body in empty_answers():
        for client in (dialect, "messages" if dialect != "messages" else "chat"):
            vendor.play(body)
            response = ask(gateway, client, gateway.failing_model(dialect), False)
            assert response.status == 502, (client, body, response.status, response.body)
            told = row(root, response.headers["x-request-id"])
            assert told["error_cause"] == "bad_upstream_response", told


def test_an_answer_that_was_blocked_is_no_failure(gateway, vendor):
    blocked = {"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": "content_filter"}
    vendor.play({"id": "c", "model": "m", "choices": [blocked]})
    assert ask(gateway, "chat", "up-chat", False).status == 200
    vendor.play({"promptFeedback": {"blockReason": "SAFETY"}})
    assert ask(gateway, "generate", "up-generate", False).status == 200


SOUND = bytes(range(256)) * 20


@pytest.mark.parametrize(
    "answer",
    [
        raw.head("audio/mpeg", 20_000) + SOUND,
        raw.head("audio/mpeg", "chunks") + raw.chunk(SOUND),
        raw.head("audio/mpeg", "chunks") + b"2710\r\n" + SOUND,
    ],
    ids=["shorter than its length", "without its last chunk", "inside a chunk"],
)
def test_sound_that_breaks_off_is_not_charged(gateway, raw_vendor, raw_models, root, answer):
    raw_vendor.script = lambda connection, _: connection.sendall(answer)
    body = {"model": raw_models(), "input": WORDS, "voice": "alloy"}
    headers = {"authorization": f"Bearer {TOKEN}"}
    with pytest.raises(http.client.IncompleteRead):
        request(gateway.port, "POST", "/v1/audio/speech", body, headers)
    wait_until(lambda: root.data("GET", f"/api/log/?model={body['model']}")["items"], "the call is in the log")
    rows = root.data("GET", f"/api/log/?model={body['model']}")["items"]
    assert [float(told["charge_usd"]) for told in rows] == [0.0], rows
    assert rows[0]["error_cause"] == "bad_upstream_response", rows


def test_sound_that_is_complete_is_charged(gateway, raw_vendor, raw_models, root):
    answer = raw.head("audio/mpeg", len(SOUND)) + SOUND
    raw_vendor.script = lambda connection, _: connection.sendall(answer)
    body = {"model": raw_models(), "input": WORDS, "voice": "alloy"}
    response = request(gateway.port, "POST", "/v1/audio/speech", body, {"authorization": f"Bearer {TOKEN}"})
    assert response.body == SOUND
    assert float(row(root, response.headers["x-request-id"])["charge_usd"]) > 0


@pytest.mark.parametrize("dialect", VENDORS)
def test_a_stream_without_its_end_is_not_charged(gateway, vendor, root, dialect):
    frames = next(frames for name, frames in silent_streams() if name == dialect)
    cut = frames[:1] if dialect in ("chat", "generate") else frames[:3] if dialect == "messages" else frames[:2]
    vendor.play(stream=cut)
    response = ask(gateway, dialect, gateway.failing_model(dialect), True)
    told = row(root, response.headers["x-request-id"])
    assert told["error_cause"] == "bad_upstream_response", (response.body, told)
    assert WORDS.encode() in response.body and b"error" in response.body


def test_a_stream_that_ends_without_its_last_word_but_with_a_reason_is_complete(gateway, vendor, root):
    frames = next(frames for name, frames in silent_streams() if name == "chat")
    vendor.play(stream=frames[:-1])
    response = call(gateway.port, "chat", {"model": "up-chat", "stream": True, "messages": [{"role": "user", "content": "Hi"}]})
    told = row(root, response.headers["x-request-id"])
    assert told["error_cause"] is None and float(told["charge_usd"]) > 0, told
