"""Bodies with very many entries: those beyond a limit get a 400 that names it, those below are served."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import call, request

TOOLS, MESSAGES, STOPS = 80_000, 20_000, 1_000
SAID = {"role": "user", "content": "q"}
REPLY = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "up-messages",
    "content": [{"type": "text", "text": "Served."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 5, "output_tokens": 2},
}


def chat(messages=1, **more):
    """A chat body for the vendor of the messages dialect."""
    return {"model": "up-messages", "messages": [SAID] * messages, **more}


def chat_tool(number):
    """A tool of some ninety bytes."""
    parameters = {"type": "object", "properties": {}}
    return {"type": "function", "function": {"name": f"tool_{number}", "parameters": parameters}}


def test_bodies_with_very_many_tools_are_rejected_while_others_are_answered(gateway, vendor):
    """Two bodies of 7 MB at once get a 400, and the gateway answers meanwhile."""
    body = json.dumps(chat(tools=[chat_tool(number) for number in range(TOOLS)])).encode()
    assert len(body) > 7_000_000
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(call, gateway.port, "chat", body) for _ in range(2)]
        assert request(gateway.port, "GET", "/healthz").status == 200
        responses = [call.result() for call in calls]
    for response in responses:
        assert response.status == 400, response.body
        error = response.error()
        assert (error["type"], error["param"]) == ("invalid_request_error", "tools"), error
        assert f"{TOOLS} tools" in error["message"] and "`limits.tool_count`" in error["message"]
    assert not vendor.asked


REJECTED = {
    "chat": (chat(MESSAGES + 1), "message_count"),
    "messages": ({"max_tokens": 9, "messages": [SAID] * (MESSAGES + 1)}, "message_count"),
    "responses": ({"input": [SAID], "tools": [{"type": "namespace", "tools": [{}] * 10_001}]}, "tool_count"),
    "generate": (
        {"contents": [{"parts": [{"text": "q"}]}], "generationConfig": {"stopSequences": ["x"] * (STOPS + 1)}},
        "stop_count",
    ),
    "completions": ({"prompt": "q", "stop": ["x"] * (STOPS + 1)}, "stop_count"),
}


@pytest.mark.parametrize("dialect", REJECTED)
def test_limits_hold_in_every_dialect_also_for_calls_that_pass_through(gateway, vendor, dialect):
    """The upstream speaks the caller's own dialect, so that the body is not converted."""
    body, limit = REJECTED[dialect]
    model = "up-chat" if dialect == "completions" else f"up-{dialect}"
    response = call(gateway.port, dialect, {**body, "model": model}, model=model)
    assert response.status == 400, response.body
    assert f"`limits.{limit}`" in response.error()["message"]
    assert not vendor.asked


def test_a_body_just_below_the_limits_is_converted_and_served(gateway, vendor):
    """The messages vendor gets every message of the chat client."""
    vendor.play(REPLY)
    roles = [SAID, {"role": "assistant", "content": "a"}] * (MESSAGES // 2 - 1)
    body = {"model": "up-messages", "messages": [*roles, SAID], "tools": [chat_tool(n) for n in range(1_000)]}
    response = call(gateway.port, "chat", body)
    assert response.status == 200, response.body
    assert response.json()["choices"][0]["message"]["content"] == "Served."
    asked = vendor.last.request
    assert (len(asked["messages"]), len(asked["tools"])) == (MESSAGES - 1, 1_000)
