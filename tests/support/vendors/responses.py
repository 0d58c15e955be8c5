"""A responses vendor."""

import json

from answers import Answer, Refusal, Thought
from meaning import FILTER, LENGTH, Call
from vendors.wire import History, arguments, joined, pieces, split_data_url, sse

PATH = r"/v1/responses$"


def usage(answer):
    """The usage object."""
    used = answer.usage
    return {
        "input_tokens": used.input,
        "input_tokens_details": {"cached_tokens": used.cached, "cache_write_tokens": used.written},
        "output_tokens": used.output,
        "output_tokens_details": {"reasoning_tokens": used.reasoning},
        "total_tokens": used.input + used.output,
    }


def logprobs(tokens):
    """Log probabilities of these tokens."""
    return [
        {"token": token.token, "bytes": list(token.token.encode()), "logprob": token.logprob, "top_logprobs": []}
        for token in tokens
    ]


def annotations(part):
    """A text's citations, counted in its characters."""
    found = []
    for citation in part.citations:
        start = part.text.index(citation.cited)
        place = {"start_index": start, "end_index": start + len(citation.cited)}
        found.append({"type": "url_citation", "url": citation.url, "title": citation.title, **place})
    return found


def content_of(part):
    """A message's part."""
    if isinstance(part, Refusal):
        return {"type": "refusal", "refusal": part.text}
    notes, tokens = annotations(part), logprobs(part.logprobs)
    return {"type": "output_text", "text": part.text, "annotations": notes, "logprobs": tokens}


def item(part, at, status):
    """An output item."""
    match part:
        case Thought():
            summary = [{"type": "summary_text", "text": part.text}]
            sealed = {"encrypted_content": part.signature} if part.signature else {}
            return {"type": "reasoning", "id": f"rs_{at}", "summary": summary, **sealed}
        case Call():
            call = {"call_id": part.id or f"call_{at}", "name": part.name, "arguments": arguments(part.arguments)}
            return {"type": "function_call", "id": f"fc_{at}", **call, "status": status}
    content = [content_of(part)]
    return {"type": "message", "id": f"msg_{at}", "role": "assistant", "status": status, "content": content}


def items(answer):
    """All output items; the last one of a cut answer is incomplete."""
    last = len(answer.parts) - 1
    cut = answer.finish == LENGTH
    return [
        item(part, at, "incomplete" if cut and at == last else "completed")
        for at, part in enumerate(answer.parts)
    ]


def response(answer, status, output, used):
    """The response's frame."""
    reason = {LENGTH: "max_output_tokens", FILTER: "content_filter"}.get(answer.finish)
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": 1780000001,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if status == "incomplete" else None,
        "instructions": None,
        "model": "vendor-responses",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "usage": used,
    }


def status_of(answer):
    """A refusal in words is a complete answer; a cut or filtered one is not."""
    cut = answer.finish == LENGTH or (answer.finish == FILTER and not answer.of(Refusal))
    return "incomplete" if cut else "completed"


def body(answer):
    """The whole answer."""
    return response(answer, status_of(answer), items(answer), usage(answer))


class Events:
    """Numbers events as the vendor does."""

    def __init__(self):
        self.out = []

    def add(self, kind, **fields):
        """One more event."""
        data = {"type": kind, "sequence_number": len(self.out), **fields}
        self.out.append(sse(data, kind))


def reasoning_events(events, at, whole):
    """A reasoning item's life."""
    start = {key: value for key, value in whole.items() if key != "encrypted_content"}
    events.add("response.output_item.added", output_index=at, item={**start, "summary": []})
    text = whole["summary"][0]["text"]
    place = {"item_id": whole["id"], "output_index": at, "summary_index": 0}
    empty = {"type": "summary_text", "text": ""}
    events.add("response.reasoning_summary_part.added", **place, part=empty)
    for piece in pieces(text):
        events.add("response.reasoning_summary_text.delta", **place, delta=piece)
    events.add("response.reasoning_summary_text.done", **place, text=text)
    events.add("response.reasoning_summary_part.done", **place, part={**empty, "text": text})


def call_events(events, at, whole):
    """A function call's life."""
    begun = {**whole, "arguments": "", "status": "in_progress"}
    events.add("response.output_item.added", output_index=at, item=begun)
    place = {"item_id": whole["id"], "output_index": at}
    for piece in pieces(whole["arguments"]):
        events.add("response.function_call_arguments.delta", **place, delta=piece)
    done = {"arguments": whole["arguments"], "name": whole["name"]}
    events.add("response.function_call_arguments.done", **place, **done)


def message_events(events, at, whole):
    """A message's life."""
    begun = {**whole, "content": [], "status": "in_progress"}
    events.add("response.output_item.added", output_index=at, item=begun)
    part = whole["content"][0]
    place = {"item_id": whole["id"], "output_index": at, "content_index": 0}
    if part["type"] == "refusal":
        events.add("response.content_part.added", **place, part={**part, "refusal": ""})
        for piece in pieces(part["refusal"]):
            events.add("response.refusal.delta", **place, delta=piece)
        events.add("response.refusal.done", **place, refusal=part["refusal"])
    else:
        text_events(events, place, part)
    events.add("response.content_part.done", **place, part=part)


def text_events(events, place, part):
    """A text's life."""
    empty = {**part, "text": "", "annotations": [], "logprobs": []}
    events.add("response.content_part.added", **place, part=empty)
    tokens = part["logprobs"]
    changes = [(entry["token"], [entry]) for entry in tokens] or [(piece, []) for piece in pieces(part["text"])]
    for text, entries in changes:
        events.add("response.output_text.delta", **place, delta=text, logprobs=entries)
    for index, note in enumerate(part["annotations"]):
        events.add("response.output_text.annotation.added", **place, annotation_index=index, annotation=note)
    events.add("response.output_text.done", **place, text=part["text"], logprobs=tokens)


LIVES = {"reasoning": reasoning_events, "function_call": call_events, "message": message_events}


def frames(answer):
    """The answer as a stream."""
    events = Events()
    begun = response(answer, "in_progress", [], None)
    events.add("response.created", response=begun)
    events.add("response.in_progress", response=begun)
    for at, whole in enumerate(items(answer)):
        LIVES[whole["type"]](events, at, whole)
        events.add("response.output_item.done", output_index=at, item=whole)
    events.add(f"response.{status_of(answer)}", response=body(answer))
    return events.out


def error(status, text):
    """A refused call."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    code = "model_not_found" if status == 404 else None
    return {"error": {"message": text, "type": kind, "param": None, "code": code}}


def error_frame(text):
    """A failure inside a stream, after six frames."""
    failed = response(Answer(), "failed", [], None) | {"error": {"code": "server_error", "message": text}}
    return sse({"type": "response.failed", "sequence_number": 6, "response": failed}, "response.failed")


def history(request):
    """What the gateway has sent."""
    seen = History()
    if isinstance(request["input"], str):
        seen.texts.append(request["input"])
        return seen
    for entry in request["input"]:
        match entry.get("type", "message"):
            case "message":
                content = entry["content"]
                parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
                read_parts(parts, seen)
            case "reasoning":
                seen.thoughts += [part["text"] for part in entry["summary"]]
                if sealed := entry.get("encrypted_content"):
                    seen.signatures.append(sealed)
            case "function_call":
                seen.calls.append((entry["call_id"], entry["name"], json.loads(entry["arguments"])))
            case "function_call_output":
                output = entry["output"]
                text = output if isinstance(output, str) else joined(output)
                seen.results.append((entry["call_id"], text))
    return seen


def read_parts(parts, seen):
    """A message's parts."""
    for part in parts:
        match part["type"]:
            case "input_text" | "output_text":
                seen.texts.append(part["text"])
            case "input_image":
                seen.images.append(split_data_url(part["image_url"]))
            case "input_audio":
                sound = part["input_audio"]
                seen.audio.append((f"audio/{sound['format']}", sound["data"]))


def schema(request):
    """The schema that the answer must fit."""
    return request["text"]["format"]["schema"]


def tools(request):
    """Names of the functions that may be called."""
    return [tool["name"] for tool in request.get("tools") or [] if tool.get("type") == "function"]
