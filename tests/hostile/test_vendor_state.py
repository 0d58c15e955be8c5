"""State that a vendor keeps belongs to one tenant: no reference of a client reaches the vendor, however it is spelled, and
stored answers have ids of the gateway's own."""

import itertools
import json

import pytest
from answers import Answer, Text
from client import Session, call, request
from gateway import TOKEN
from websockets.sync.client import connect

USER = {"model": "up", "max_tokens": 9, "input": "Hi", "messages": [{"role": "user", "content": "Hi"}],
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
OF_DIALECT = {
    "chat": ("messages", "max_tokens"),
    "completions": ("max_tokens",),
    "messages": ("messages", "max_tokens"),
    "responses": ("input",),
    "generate": ("contents",),
}


def said(content):
    """A conversation of one message."""
    return {"messages": [{"role": "user", "content": content}]}


def item(**fields):
    """A request whose input has this item after a message."""
    return {"input": [{"role": "user", "content": "Hi"}, fields]}


def tool(**fields):
    """A request with this hosted tool."""
    return {"tools": [fields]}


def part(**fields):
    """A request with this part."""
    return {"contents": [{"role": "user", "parts": [{"text": "Hi"}, fields]}]}


FILE = {"type": "file", "file_id": "file_1"}
STATE = [
    ("chat", said([{"type": "file", "file": {"file_id": "file-1"}}]), "file_id"),
    ("chat", {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "audio": {"id": "audio_1"}}]}, "id"),
    ("chat", {"audio": {"format": "wav", "voice": {"id": "voice_1"}}}, "id"),
    ("chat", {"skills": [{"skill_id": "skill_1"}]}, "skill_id"),
    ("chat", {"unknown": "file-abc123"}, "unknown"),
    ("chat", {"unknown": {"deep": ["vs_abc123"]}}, "deep"),
    ("chat", {"thread": "thread_abc123"}, "thread"),
    ("chat", {"previous_response_id": "resp_1"}, "previous_response_id"),
    ("completions", {"prompt": "Hi", "unknown": "conv_abc123"}, "unknown"),
    ("messages", said([{"type": "image", "source": FILE}]), "file_id"),
    ("messages", said([{"type": "document", "source": FILE}]), "file_id"),
    ("messages", said([{"type": "container_upload", "file_id": "file_1"}]), "file_id"),
    ("messages", {"container": "container_1"}, "container"),
    ("messages", {"container": {"id": "container_1"}}, "id"),
    ("messages", {"container": {"skills": [{"type": "custom", "skill_id": "skill_1"}]}}, "skill_id"),
    ("messages", {"thread": {"type": "continue", "previous_message_id": "msg_1"}}, "previous_message_id"),
    ("messages", {"diagnostics": {"previous_message_id": "msg_1"}}, "previous_message_id"),
    ("messages", {"user_profile_id": "uprof_1"}, "user_profile_id"),
    ("messages", {"workspace_id": "wrkspc_1"}, "workspace_id"),
    ("messages", {"fallback_credit_token": "token"}, "fallback_credit_token"),
    ("messages", {"fallback_credit_token": {"token": "token"}}, "fallback_credit_token"),
    ("generate", part(fileData={"mimeType": "image/png", "fileUri": "files/abc"}), "fileUri"),
    ("generate", part(file_data={"mime_type": "image/png", "file_uri": "gs://bucket/object"}), "file_uri"),
    ("generate", {"systemInstruction": {"parts": [{"fileData": {"fileUri": "files/abc"}}]}}, "fileUri"),
    ("generate", {"cachedContent": "cachedContents/abc"}, "cachedContent"),
    ("generate", {"cached_content": "cachedContents/abc"}, "cached_content"),
    ("generate", tool(retrieval={"vertexRagStore": {"ragResources": [{"ragCorpus": "c"}]}}), "vertexRagStore"),
    ("generate", tool(retrieval={"vertexAiSearch": {"datastore": "d"}}), "vertexAiSearch"),
    ("generate", tool(fileSearch={"fileSearchStoreNames": ["fileSearchStores/a"]}), "fileSearchStoreNames"),
    ("responses", {"conversation": "conv_1"}, "conversation"),
    ("responses", {"conversation": {"id": "conv_1"}}, "conversation"),
    ("responses", {"prompt": {"id": "pmpt_1"}}, "prompt"),
    ("responses", {"previous_response_id": "resp_of_somebody"}, "previous_response_id"),
    ("responses", {"prompt_cache_options": {"comparison_response_id": "resp_1"}}, "comparison_response_id"),
    ("responses", item(role="user", content=[{"type": "input_file", "file_id": "file-1"}]), "file_id"),
    ("responses", item(role="user", content=[{"type": "input_image", "file_id": "file-1"}]), "file_id"),
    ("responses", item(type="item_reference", id="msg_1"), "id"),
    ("responses", item(id="msg_1"), "id"),
    ("responses", item(type="image_generation_call", id="ig_1"), "id"),
    ("responses", item(type="reasoning", id="rs_1", summary=[]), "id"),
    ("responses", item(type="file_search_call", id="fs_1", queries=["q"], status="completed"), "id"),
    ("responses", item(type="code_interpreter_call", id="ci_1", container_id="cntr_1", code="1", outputs=[]), "id"),
    ("responses", item(type="computer_call_output", call_id="c",
                       output={"type": "computer_screenshot", "file_id": "file-1"}), "file_id"),
    ("responses", tool(type="file_search", vector_store_ids=["vs_1"]), "vector_store_ids"),
    ("responses", tool(type="code_interpreter", container="cntr_1"), "container"),
    ("responses", tool(type="code_interpreter", container={"type": "auto", "file_ids": ["file-1"]}), "file_ids"),
    ("responses", tool(type="image_generation", input_image_mask={"file_id": "file-1"}), "file_id"),
    ("responses", tool(type="shell", environment={"type": "container_reference", "container_id": "cntr_1"}),
     "container_id"),
    ("responses", tool(type="shell", environment={"type": "container_auto", "skills": [
        {"type": "skill_reference", "skill_id": "skill_1"}]}), "skill_id"),
    ("responses", tool(type="mcp", server_label="l", tunnel_id="tunnel_1"), "tunnel_id"),
]


def escaped(text):
    """The same JSON with a character of every name and string escaped."""
    quoted = text.split('"')
    out = [piece if at % 2 == 0 or not piece.isascii() else
           "".join(f"\\u{ord(letter):04X}" if (place == 1 or len(piece) == 1) else letter
                   for place, letter in enumerate(piece))
           for at, piece in enumerate(quoted)]
    return '"'.join(out)


def body_of(dialect, fields, **more):
    """A request of this dialect with these fields."""
    usual = {name: USER[name] for name in OF_DIALECT[dialect]}
    model = {} if dialect == "generate" else {"model": f"up-{'chat' if dialect == 'completions' else dialect}"}
    return {**model, **usual, **fields, **more}


@pytest.mark.parametrize(("dialect", "fields", "name"), STATE, ids=lambda value: str(value)[:60])
def test_no_reference_reaches_the_vendor(gateway, vendor, dialect, fields, name):
    variants = [body_of(dialect, fields)]
    if dialect == "responses":
        variants.append(body_of(dialect, fields, store=False))
    for body in variants:
        plain = json.dumps(body)
        assert json.loads(escaped(plain)) == body
        for text in (plain, escaped(plain)):
            response = call(gateway.port, dialect, text.encode(), model=f"up-{dialect}")
            assert response.status == 400, (text, response.body)
            # Hosted tools that are not open are rejected before their references are looked at.
            if "tools" not in fields:
                error = response.error()
                assert name in (error.get("param") or error["message"]), response.body
            assert not vendor.asked, text


def test_counts_and_other_operations_reject_references_too(gateway, vendor):
    file = {"type": "file", "source": FILE}
    for path, body in [
        ("/v1/messages/count_tokens", {"model": "up-messages", "messages": [{"role": "user", "content": [file]}]}),
        ("/v1/responses/input_tokens", {"model": "up-responses", "input": "Hi", "conversation": "conv_1"}),
        ("/v1/images/edits", {"model": "up-chat", "prompt": "p", "images": [{"file_id": "file-1"}]}),
        ("/v1/images/generations", {"model": "up-chat", "prompt": "p", "unknown": "file-abc123"}),
        ("/v1/audio/speech", {"model": "up-chat", "input": "Hi", "voice": {"id": "voice_1"}}),
        ("/v1/embeddings", {"model": "up-chat", "input": "Hi", "file_id": "file-1"}),
        ("/v1/moderations", {"model": "up-chat", "input": "Hi", "file_id": "file-1"}),
    ]:
        for text in (json.dumps(body), escaped(json.dumps(body))):
            headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json",
                       "anthropic-version": "2023-06-01"}
            response = request(gateway.port, "POST", path, text.encode(), headers)
            assert response.status == 400, (path, response.status, response.body)
            assert not vendor.asked


EVENTS = [
    {"type": "session.update", "session": {"type": "realtime", "prompt": {"id": "pmpt_1"}}},
    {"type": "response.create", "response": {"prompt": {"id": "pmpt_1"}}},
    {"type": "response.create", "response": {"conversation": "conv_1"}},
    {"type": "response.create", "response": {"input": [{"type": "item_reference", "id": "item_1"}]}},
    {"type": "conversation.item.create", "item": {"type": "message", "role": "user",
                                                   "content": [{"type": "input_image", "file_id": "file-1"}]}},
    {"type": "session.update", "session": {"type": "realtime", "audio": {"output": {"voice": {"id": "voice_1"}}}}},
]


def test_events_of_realtime_clients_are_checked(gateway):
    url = f"ws://127.0.0.1:{gateway.port}/v1/realtime?model=demo-realtime"
    with connect(url, additional_headers={"authorization": f"Bearer {TOKEN}"}) as session:
        for number, event in enumerate(itertools.chain(EVENTS, EVENTS)):
            text = json.dumps({**event, "event_id": f"own-{number}"})
            session.send(text if number < len(EVENTS) else escaped(text))
            while (answer := json.loads(session.recv(timeout=10)))["type"] != "error":
                assert not answer["type"].startswith("response."), (event, answer)
            assert answer["error"]["event_id"] == f"own-{number}", answer
            assert "vendor keeps" in answer["error"]["message"], answer


def test_what_agents_send_again_passes(gateway, vendor):
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "content": None, "encrypted_content": "sealed"}
    calls = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "file_read",
             "arguments": '{"file_id":"file-1"}'}
    sent = [
        ("responses", item(type="message", id="msg_1", role="assistant", content=[
            {"type": "output_text", "text": "file-1", "annotations": []}])),
        ("responses", {"input": [thought, calls, {"type": "function_call_output", "id": "fco_1", "call_id": "call_1",
                                                 "output": "conv_1"}], "store": False}),
        ("responses", {"prompt_cache_key": "conv_1", "client_metadata": {"thread": "thread_1"}}),
        ("chat", {"messages": [{"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"file_id":"file-1"}'}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "file-1"}], "user": "file-1"}),
        ("messages", {"messages": [{"role": "user", "content": "file-1"}, {"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"file_id": "file-1", "container": "c"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "vs_1"}]}],
            "metadata": {"user_id": "file-1"}}),
        ("generate", part(fileData={"mimeType": "image/png", "fileUri": "https://a.example/b.png"})),
        ("generate", part(functionCall={"name": "f", "args": {"fileUri": "files/abc"}})),
    ]
    for dialect, fields in sent:
        vendor.say(dialect, Answer((Text("Fine"),)))
        body = body_of(dialect, fields)
        response = call(gateway.port, dialect, body, model=f"up-{dialect}")
        assert response.status == 200, (fields, response.body)
        for name, value in fields.items():
            assert vendor.last.request[name] == value, name


@pytest.fixture(scope="module")
def tenants(gateway, root):
    """Tokens of two users."""
    tokens = []
    for name in ("tenant-a", "tenant-b"):
        password = f"correct horse battery {name}"
        root.data("POST", "/api/user/", {"username": name, "password": password, "quota": 5_000_000})
        tokens.append(Session(gateway.port, name, password).data("POST", "/api/token/", {"name": name})["key"])
    return tokens


def ask(gateway, token, text, dialect="responses", stream=False, **fields):
    """Asks for an answer that is stored. Returns its id and every id that the reply shows."""
    body = {"model": f"up-{dialect}", "input": text, "stream": stream, **fields}
    response = call(gateway.port, "responses", body, token=token)
    assert response.status == 200, response.body
    if not stream:
        return response.json()["id"], [response.json()["id"]]
    data = [json.loads(line[6:]) for line in response.body.decode().splitlines() if line.startswith("data: {")]
    ids = [event["response"]["id"] for event in data if "response" in event]
    ids += [event["response_id"] for event in data if "response_id" in event]
    return ids[-1], ids


def history(asked):
    """Everything that the vendor was told, as text."""
    return json.dumps(asked.request)


@pytest.mark.parametrize("dialect", ["chat", "messages", "generate", "responses"])
@pytest.mark.parametrize("stream", [False, True])
def test_ids_that_an_upstream_repeats_mix_nothing(gateway, vendor, tenants, dialect, stream):
    vendor.say(dialect, Answer((Text("Noted."),), id="repeated"))
    stored = []
    for number, token in enumerate([tenants[0], tenants[1], tenants[0]]):
        secret = f"secret {number} of {dialect}"
        own, ids = ask(gateway, token, secret, dialect, stream)
        assert set(ids) == {own} and "repeated" not in own, ids
        stored.append((token, own, secret))
    assert len({own for _, own, _ in stored}) == 3
    for token, own, secret in stored:
        headers = {"authorization": f"Bearer {token}"}
        shown = request(gateway.port, "GET", f"/v1/responses/{own}/input_items", headers=headers)
        assert shown.status == 200 and secret in shown.body.decode(), shown.body
        assert request(gateway.port, "GET", f"/v1/responses/{own}", headers=headers).json()["id"] == own
        later, _ = ask(gateway, token, "And?", dialect, stream, previous_response_id=own)
        told = history(vendor.last)
        assert secret in told and own not in told and "Noted." in told, told
        assert not [other for _, _, other in stored if other != secret and other in told], told
        third, _ = ask(gateway, token, "More?", dialect, stream, previous_response_id=later)
        assert secret in history(vendor.last) and third not in (own, later)


def test_stored_answers_of_another_tenant_are_not_found(gateway, vendor, tenants):
    vendor.say("responses", Answer((Text("Noted."),), id="repeated"))
    own, _ = ask(gateway, tenants[0], "My secret")
    asked = len(vendor.asked)
    body = {"model": "up-responses", "input": "Hi", "previous_response_id": own}
    response = call(gateway.port, "responses", body, token=tenants[1])
    assert response.status == 400 and response.error()["code"] == "previous_response_not_found"
    headers = {"authorization": f"Bearer {tenants[1]}"}
    for method, path in [("GET", ""), ("GET", "/input_items"), ("DELETE", ""), ("POST", "/cancel")]:
        assert request(gateway.port, method, f"/v1/responses/{own}{path}", headers=headers).status == 404
    body = {"model": "up-responses", "input": "Hi", "previous_response_id": "resp_repeated"}
    assert call(gateway.port, "responses", body, token=tenants[0]).status == 400
    assert len(vendor.asked) == asked


def test_items_are_resolved_for_their_owner_alone(gateway, vendor, tenants):
    picture = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "aGk="}
    code = {"type": "code_interpreter_call", "id": "ci_1", "container_id": "cntr_1", "code": "1", "outputs": [],
            "status": "completed"}
    vendor.say("responses", Answer((Text("Noted."),), id="repeated"))
    answer = json.loads(vendor.script.body)
    answer["output"] += [picture, code]
    vendor.play(answer)
    ask(gateway, tenants[0], "Draw")
    for keeps in (True, False):
        ask(gateway, tenants[0], [{"type": "image_generation_call", "id": "ig_1"}, code], store=keeps)
        assert vendor.last.request["input"] == [picture, code]
    asked = len(vendor.asked)
    foreign = {**code, "container_id": "cntr_2"}
    for token, sent in [(tenants[1], {"type": "image_generation_call", "id": "ig_1"}), (tenants[1], code),
                        (tenants[0], foreign)]:
        body = {"model": "up-responses", "input": [sent], "store": False}
        response = call(gateway.port, "responses", body, token=token)
        assert (response.status, response.error()["code"]) == (400, "item_not_found"), response.body
    assert len(vendor.asked) == asked
    # An item that says all that it means goes on without an id that is not its sender's.
    ask(gateway, tenants[1], [picture])
    assert vendor.last.request["input"] == [{name: value for name, value in picture.items() if name != "id"}]
