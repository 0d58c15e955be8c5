"""A chat-completions vendor."""

import json

from answers import Refusal, Text
from meaning import FILTER, LENGTH, STOP, TOOL, Call
from vendors.wire import History, arguments, joined, pieces, split_data_url, sse

PATH = r"/v1/chat/completions$"
FINISH = {STOP: "stop", LENGTH: "length", TOOL: "tool_calls", FILTER: "content_filter"}


def usage(answer):
    """The usage object."""
    used = answer.usage
    return {
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": used.input + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cached, "cache_write_tokens": used.written},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning},
    }


def annotations(answer):
    """All citations, counted in characters of the whole text."""
    found = []
    for part in answer.of(Text):
        for citation in part.citations:
            start = answer.text.index(citation.cited)
            place = {"start_index": start, "end_index": start + len(citation.cited)}
            source = {"url": citation.url, "title": citation.title}
            found.append({"type": "url_citation", "url_citation": {**place, **source}})
    return found


def logprobs(tokens):
    """Log probabilities of these tokens."""
    entries = [
        {
            "token": token.token,
            "bytes": list(token.token.encode()),
            "logprob": token.logprob,
            "top_logprobs": [{"token": token.token, "bytes": None, "logprob": token.logprob}],
        }
        for token in tokens
    ]
    return {"content": entries, "refusal": None}


def tool_call(call, ordinal):
    """A call's head; the vendor always gives an id."""
    function = {"name": call.name, "arguments": arguments(call.arguments)}
    return {"id": call.id or f"call_{ordinal}", "type": "function", "function": function}


def body(answer):
    """The whole answer."""
    message = {
        "role": "assistant",
        "content": "".join(part.text for part in answer.of(Text)) or None,
        "refusal": "".join(part.text for part in answer.of(Refusal)) or None,
        "annotations": annotations(answer),
    }
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    calls = [tool_call(call, ordinal) for ordinal, call in enumerate(answer.of(Call))]
    if calls:
        message["tool_calls"] = calls
    tokens = [token for part in answer.of(Text) for token in part.logprobs]
    choices = [
        {
            "index": 0,
            "message": message,
            "finish_reason": FINISH[answer.finish],
            "logprobs": logprobs(tokens) if tokens else None,
        }
    ]
    for index, text in enumerate(answer.others, 1):
        other = {"role": "assistant", "content": text, "refusal": None}
        choices.append({"index": index, "message": other, "finish_reason": "stop", "logprobs": None})
    head = {"id": f"chatcmpl-{answer.id}", "object": "chat.completion"}
    rest = {"created": 1780000001, "model": "vendor-chat", "choices": choices, "usage": usage(answer)}
    return {**head, **rest}


def chunk(answer, choices, **more):
    """One chunk's frame."""
    head = {"id": f"chatcmpl-{answer.id}", "object": "chat.completion.chunk", "created": 1780000001}
    return sse({**head, "model": "vendor-chat", "choices": choices, "usage": None, **more})


def delta(answer, fields, index=0, finish=None, tokens=()):
    """A chunk for one choice."""
    choice = {"index": index, "delta": fields, "finish_reason": finish}
    if tokens:
        choice["logprobs"] = logprobs(tokens)
    return chunk(answer, [choice])


def call_frames(answer):
    """The calls' chunks, one after the other or in turn."""
    heads, tails = [], []
    for ordinal, call in enumerate(answer.of(Call)):
        entry = tool_call(call, ordinal)
        text, entry["function"]["arguments"] = entry["function"]["arguments"], ""
        heads.append(delta(answer, {"tool_calls": [{"index": ordinal, **entry}]}))
        tails.append(
            [
                delta(answer, {"tool_calls": [{"index": ordinal, "function": {"arguments": piece}}]})
                for piece in pieces(text)
            ]
        )
    if not answer.interleaved:
        return [frame for head, tail in zip(heads, tails) for frame in [head, *tail]]
    longest = max(map(len, tails))
    turns = [tail[at] for at in range(longest) for tail in tails if at < len(tail)]
    return heads + turns


def frames(answer):
    """The answer as a stream."""
    out = [delta(answer, {"role": "assistant", "content": "", "refusal": None})]
    out += [delta(answer, {"role": "assistant", "content": ""}, at) for at, _ in enumerate(answer.others, 1)]
    out += [delta(answer, {"reasoning_content": piece}) for piece in pieces(answer.reasoning)]
    for part in answer.of(Text):
        if part.logprobs:
            out += [delta(answer, {"content": token.token}, tokens=[token]) for token in part.logprobs]
        else:
            out += [delta(answer, {"content": piece}) for piece in pieces(part.text)]
    for part in answer.of(Refusal):
        out += [delta(answer, {"refusal": piece}) for piece in pieces(part.text)]
    for index, text in enumerate(answer.others, 1):
        out += [delta(answer, {"content": piece}, index) for piece in pieces(text)]
    if notes := annotations(answer):
        out.append(delta(answer, {"annotations": notes}))
    out += call_frames(answer)
    out.append(delta(answer, {}, finish=FINISH[answer.finish]))
    out += [delta(answer, {}, at, "stop") for at, _ in enumerate(answer.others, 1)]
    return [*out, chunk(answer, [], usage=usage(answer)), sse("[DONE]")]


def error(status, text):
    """A refused call."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    code = "model_not_found" if status == 404 else None
    return {"error": {"message": text, "type": kind, "param": None, "code": code}}


def error_frame(text):
    """A failure inside a stream."""
    return sse({"error": {"message": text, "type": "server_error", "param": None, "code": "server_error"}})


def history(request):
    """What the gateway has sent."""
    seen = History()
    for message in request["messages"]:
        content = message.get("content") or []
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == "tool":
            seen.results.append((message["tool_call_id"], joined(parts)))
            continue
        for part in parts:
            if part["type"] == "text":
                seen.texts.append(part["text"])
            elif part["type"] == "image_url":
                seen.images.append(split_data_url(part["image_url"]["url"]))
            elif part["type"] == "input_audio":
                sound = part["input_audio"]
                seen.audio.append((f"audio/{sound['format']}", sound["data"]))
        for call in message.get("tool_calls") or []:
            function = call["function"]
            seen.calls.append((call["id"], function["name"], json.loads(function["arguments"])))
    return seen


def schema(request):
    """The schema that the answer must fit."""
    return request["response_format"]["json_schema"]["schema"]


def tools(request):
    """Names of the functions that may be called."""
    return [tool["function"]["name"] for tool in request.get("tools") or [] if "function" in tool]
