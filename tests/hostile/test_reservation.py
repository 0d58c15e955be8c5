"""A reservation covers every reading of a body; what nothing bounds or prices is refused in the caller's dialect."""

import json
import random
import time

import pytest

from client import Session, call
from vendors import ALL_VENDORS

PASSWORD = "hostile reservation 1"
UNITS_A_CENT = 5_000
BODIES = {
    "chat": {"model": "up-chat", "messages": [{"role": "user", "content": "Hi"}]},
    "messages": {"model": "up-messages", "max_tokens": 10, "messages": [{"role": "user", "content": "Hi"}]},
    "responses": {"model": "up-responses", "input": "Hi", "store": False},
    "generate": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
}
ANSWERS = {
    "chat": {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    },
    "messages": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Hi"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "responses": {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "output": [
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
            }
        ],
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    },
    "generate": {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [{"text": "Hi"}]}}],
        "modelVersion": "m",
        "responseId": "r1",
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    },
}


def text(dialect, more):
    """A body of the dialect with these members, written as they are given."""
    body = dict(BODIES[dialect])
    for name in json.loads("{" + more + "}", object_pairs_hook=lambda pairs: [name for name, _ in pairs]):
        body.pop(name, None)
    return (json.dumps(body)[:-1] + "," + more + "}").encode()


def refused(gateway, dialect, more, field):
    """Sends a body that must get a 400 which names the field."""
    body = more if isinstance(more, bytes) else text(dialect, more)
    response = call(gateway.port, dialect, body)
    assert response.status == 400, (dialect, more, response.status, response.body)
    assert field in response.error()["message"], (dialect, more, response.body)


def user_with(gateway, root, name, quota):
    """A new user with so many quota units: its id and the key of a new token."""
    user = root.data("POST", "/api/user/", {"username": name, "password": PASSWORD, "quota": quota})
    session = Session(gateway.port, name, PASSWORD)
    token = session.data("POST", "/api/token/", {"name": "t"})
    return user["id"], token["key"]


@pytest.fixture(scope="module")
def poor(gateway, root):
    """The token of a user with one cent."""
    return user_with(gateway, root, "one-cent", UNITS_A_CENT)


@pytest.mark.parametrize(
    ("dialect", "more"),
    [
        ("chat", '"max_completion_tokens":1,"max_tokens":100000'),
        ("chat", '"max_tokens":1,"max_output_tokens":100000'),
        ("chat", '"max_tokens":1,"max_completion_token\\u0073":100000'),
        ("chat", '"max_tokens":1000,"n":100'),
        ("chat", '"max_tokens":1000,"\\u006e":100'),
        ("chat", '"max_tokens":1000,"best_of":128'),
        ("chat", '"max_tokens":1,"reasoning":{"max_tokens":100000}'),
        ("messages", '"max_tokens":10,"max_completion_tokens":100000'),
        ("messages", '"max_tokens":1025,"thinking":{"type":"enabled","budget_tokens":100000}'),
        ("responses", '"max_output_tokens":1,"max_tokens":100000'),
        ("generate", '"generationConfig":{"maxOutputTokens":"100000","thinkingConfig":{"thinkingBudget":100000}}'),
        ("generate", '"generation_config":{"max_output_tokens":1000,"candidate_count":100}'),
    ],
)
def test_one_cent_buys_no_dollar(gateway, vendor, poor, dialect, more):
    """A call that may cost a dollar is refused, or reaches the vendor with every cap within the cent."""
    vendor.play(ANSWERS[dialect])
    response = call(gateway.port, dialect, text(dialect, more), token=poor[1])
    if response.status != 200:
        assert response.status in (402, 429) and not vendor.asked, response.body
        return
    asked = vendor.last.request
    caps = [value for name, value in asked.items() if "max" in name and "tokens" in name]
    caps += [value for name, value in asked.get("generationConfig", {}).items() if "max" in name.lower()]
    times = asked.get("n", 1) * asked.get("best_of", 1)
    assert caps, asked
    assert max(int(cap) for cap in caps) * times <= 1000, asked


def test_fields_that_billing_reads_are_checked_in_pass_through(gateway, vendor):
    """Wrong types, numbers below one and absurd numbers get a 400 that names the field."""
    for dialect in ("chat", "messages", "responses"):
        cap = "max_output_tokens" if dialect == "responses" else "max_tokens"
        for value in ("-5", "0", '"5"', "1.5", "1e99", "true", "[]"):
            refused(gateway, dialect, f'"{cap}":{value}', cap)
        for name in ("n", "best_of"):
            for value in ("0", "-1", "20000", '"1"'):
                refused(gateway, dialect, f'"{name}":{value}', name)
        refused(gateway, dialect, '"temperature":"hot"', "temperature")
    for name in ("maxOutputTokens", "candidateCount", "temperature"):
        refused(gateway, "generate", f'"generationConfig":{{"{name}":"many"}}', name)
    assert not vendor.asked


def test_repeated_and_respelled_fields_are_refused(gateway, vendor):
    """A field has one value under every reading."""
    for dialect in ("chat", "messages", "responses"):
        for more, field in (
            ('"n":1,"\\u006e":2', "n"),
            ('"Stream":true', "Stream"),
            ('"tools":[],"tool\\u0073":[]', "tools"),
            ('"tools":[{"type":"function","typ\\u0065":"web_search"}]', "tools"),
        ):
            raw = json.dumps(BODIES[dialect])[:-1] + "," + more + "}"
            refused(gateway, dialect, raw.encode(), field)
    twice = '"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}'
    refused(gateway, "generate", twice, "maxOutputTokens")
    assert not vendor.asked


def test_bodies_are_unicode(gateway, vendor):
    """Bytes that are not UTF-8 and half surrogates get a 400 in every dialect."""
    for dialect, body in BODIES.items():
        raw = json.dumps(body)
        refused(gateway, dialect, raw.replace("Hi", "\\ud83d").encode(), "surrogate")
        refused(gateway, dialect, raw.replace("Hi", "\\udc00x").encode(), "surrogate")
        refused(gateway, dialect, raw.encode().replace(b"Hi", b"\xff\xfe"), "UTF-8")
    assert not vendor.asked


def test_hosted_tools_without_price_or_bound_are_refused(gateway, vendor):
    """The refusal names the tool, however its name is written."""
    for dialect, more, tool in (
        ("chat", '"web_search_options":{}', "web_search_options"),
        ("chat", '"web_search_option\\u0073":{}', "web_search_options"),
        ("chat", '"plugins":[{"id":"web"}]', "plugins: web"),
        ("chat", '"search_parameters":{"mode":"on"}', "search_parameters"),
        ("chat", '"tools":[{"type":"something_new"}]', "something_new"),
        ("messages", '"tools":[{"ty\\u0070e":"web_searc\\u0068_20250305","name":"web_search"}]', "web_search_20250305"),
        ("messages", '"tools":[{"type":"code_execution_20250825","name":"code_execution"}]', "code_execution"),
        ("responses", '"tools":[{"type":"code_interpreter","container":{"type":"auto"}}]', "code_interpreter"),
        ("responses", '"tools":[{"type":"image_generation"}]', "image_generation"),
        ("generate", '"tools":[{"google_search":{}}]', "google_search"),
        ("generate", '"tools":[{"googleMaps":{}}]', "googleMaps"),
    ):
        response = call(gateway.port, dialect, text(dialect, more))
        assert response.status == 403, (dialect, more, response.status, response.body)
        assert tool in response.error()["message"], response.body
    assert not vendor.asked


def test_a_bounded_search_is_reserved_and_an_open_group_needs_no_bound(gateway, vendor, root):
    """Three searches of a cent are reserved; a group that allows hosted tools reserves ten."""
    model = "up-messages"
    prices = {"input": "1", "output": "10", "hosted_tools": {"web_search_requests": "0.01"}}
    root.data("POST", "/api/price/", {"model": model, "prices": prices})
    vendor.play(ANSWERS["messages"])
    _, token = user_with(gateway, root, "six-cents", 6 * UNITS_A_CENT)
    tool = '"tools":[{"type":"web_search_20250305","name":"web_search"%s}]'
    bounded, unbounded = text("messages", tool % ',"max_uses":3'), text("messages", tool % "")
    assert call(gateway.port, "messages", bounded, token=token).status == 200
    assert call(gateway.port, "messages", text("messages", tool % ',"max_uses":9'), token=token).status != 200
    assert call(gateway.port, "messages", unbounded, token=token).status == 403
    group = next(one for one in root.data("GET", "/api/group/") if one["name"] == "default")
    root.data("PUT", "/api/group/", {"id": group["id"], "allows_hosted_tools": True})
    try:
        assert call(gateway.port, "messages", unbounded, token=token).status not in (200, 403)
        assert call(gateway.port, "messages", unbounded).status == 200
    finally:
        root.data("PUT", "/api/group/", {"id": group["id"], "allows_hosted_tools": False})


def test_generated_bodies_never_cost_more_than_was_reserved(gateway, vendor, root):
    """The vendor uses every token that any reading of the body it got allows; the wallet pays all of it."""
    dice = random.Random(29)
    _, token = user_with(gateway, root, "generated", 200 * UNITS_A_CENT)
    caps = ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "n_predict")
    times = ("n", "best_of", "candidate_count")
    paid = {}
    for _ in range(60):
        members = ['"max_tokens":%d' % dice.choice((1, 50, 400))] if dice.random() < 0.9 else []
        for name in dice.sample(caps[1:], dice.randrange(3)):
            members.append(f'"{written(dice, name)}":{dice.choice((1, 90, 700, 5000))}')
        for name in dice.sample(times, dice.randrange(2)):
            members.append(f'"{written(dice, name)}":{dice.choice((1, 2, 5))}')
        dice.shuffle(members)
        raw = ",".join([json.dumps(BODIES["chat"])[:-1], *members]) + "}"
        used = []

        def answer(asked, used=used):
            used.append(everything(asked.request, caps, times))
            usage = {"prompt_tokens": 20, "completion_tokens": used[-1], "total_tokens": 20 + used[-1]}
            return {**ANSWERS["chat"], "usage": usage}

        response = play_by(vendor, answer, lambda raw=raw: call(gateway.port, "chat", raw.encode(), token=token))
        assert response.status in (200, 402), response.body
        if response.status == 200:
            paid[response.headers["x-request-id"]] = (20 + 10 * used[-1]) / 1_000_000
    assert len(paid) > 20
    for request_id, dollars in paid.items():
        row = logged(root, request_id)
        assert abs(float(row["charge_usd"]) - dollars) < 1e-9, (row, dollars)


def logged(root, request_id):
    """The log row of a call, which is written a moment after its answer."""
    for _ in range(100):
        response = root.send("GET", f"/api/log/{request_id}")
        if response.status == 200:
            return response.json()["data"]
        time.sleep(0.05)
    raise AssertionError(f"{request_id} is not in the log")


def written(dice, name):
    """A name as it is, or with an escape in it."""
    if dice.random() < 0.7:
        return name
    at = dice.randrange(len(name))
    return f"{name[:at]}\\u{ord(name[at]):04x}{name[at + 1 :]}"


def everything(request, caps, times):
    """The most output tokens that any upstream could read out of a chat body."""
    output = max([request.get(name, 0) for name in caps] or [0]) or 4096
    for name in times:
        output *= request.get(name, 1)
    return output


def play_by(vendor, rule, send):
    """Sends a call while the vendor answers by a rule: from what it was asked to a whole body."""
    original = vendor.answer_to
    script = type(vendor.script)

    def answer(asked):
        return script(json.dumps(rule(asked)).encode())

    vendor.answer_to = answer
    try:
        return send()
    finally:
        vendor.answer_to = original


def test_the_ledger_is_clean_afterwards(gateway):
    """Every account sums up after all of these calls."""
    assert set(BODIES) <= set(ALL_VENDORS)
    gateway.run("ledger", "verify")
