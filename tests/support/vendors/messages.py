"""A messages vendor."""

from answers import Text, Thought
from meaning import FILTER, LENGTH, STOP, TOOL, Call
from vendors.wire import History, arguments, joined, pieces, sse

PATH = r"/v1/messages$"
FINISH = {STOP: "end_turn", LENGTH: "max_tokens", TOOL: "tool_use", FILTER: "refusal"}


def usage(answer, output=None):
    """The usage object: the prompt beside its caches."""
    used = answer.usage
    return {
        "input_tokens": used.input - used.cached - used.written,
        "cache_creation_input_tokens": used.written,
        "cache_read_input_tokens": used.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": used.written, "ephemeral_1h_input_tokens": 0},
        "output_tokens": used.output if output is None else output,
        "output_tokens_details": {"thinking_tokens": used.reasoning},
        "service_tier": "standard",
    }


def blocks(part, ordinal):
    """The blocks of one part; cited text is split at its citations."""
    if isinstance(part, Thought):
        signature = part.signature or "bm9uZQ=="
        return [{"type": "thinking", "thinking": part.text, "signature": signature}]
    if isinstance(part, Call):
        id = part.id or f"toolu_{ordinal}"
        return [{"type": "tool_use", "id": id, "name": part.name, "input": part.arguments}]
    citations = part.citations if isinstance(part, Text) else ()
    out, rest = [], part.text
    for citation in citations:
        before, rest = rest.split(citation.cited, 1)
        if before:
            out.append({"type": "text", "text": before})
        source = {"url": citation.url, "title": citation.title, "encrypted_index": "ZW5j"}
        note = {"type": "web_search_result_location", "cited_text": "a page", **source}
        out.append({"type": "text", "text": citation.cited, "citations": [note]})
    return out + ([{"type": "text", "text": rest}] if rest else [])


def content(answer):
    """All blocks."""
    return [block for at, part in enumerate(answer.parts) for block in blocks(part, at)]


def message(answer, **more):
    """The message's frame."""
    head = {"id": f"msg_{answer.id}", "type": "message", "role": "assistant", "model": "vendor-messages"}
    return {**head, **more}


def stop(answer):
    """Why it ended."""
    details = None
    if answer.finish == FILTER:
        details = {"type": "refusal", "category": None, "explanation": None}
    return {"stop_reason": FINISH[answer.finish], "stop_sequence": None, "stop_details": details}


def body(answer):
    """The whole answer."""
    return message(answer, content=content(answer), **stop(answer), usage=usage(answer))


def event(kind, **fields):
    """One event."""
    return sse({"type": kind, **fields}, kind)


def deltas(block):
    """A block's start without its content, and the pieces of that."""
    match block["type"]:
        case "thinking":
            parts = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*parts, signed]
        case "tool_use":
            whole = arguments(block["input"]) if block["input"] else ""
            parts = ["", *pieces(whole)]
            changes = [{"type": "input_json_delta", "partial_json": piece} for piece in parts]
            return {**block, "input": {}}, changes
    notes = [{"type": "citations_delta", "citation": note} for note in block.get("citations", [])]
    parts = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    start = {"type": "text", "text": ""} | ({"citations": []} if notes else {})
    return start, notes + parts


def frames(answer):
    """The answer as a stream."""
    begun = message(answer, content=[], stop_reason=None, stop_sequence=None, usage=usage(answer, 1))
    out = [event("message_start", message=begun), event("ping")]
    for index, block in enumerate(content(answer)):
        start, changes = deltas(block)
        out.append(event("content_block_start", index=index, content_block=start))
        out += [event("content_block_delta", index=index, delta=change) for change in changes]
        out.append(event("content_block_stop", index=index))
    out.append(event("message_delta", delta=stop(answer), usage=usage(answer)))
    return [*out, event("message_stop")]


ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
}


def error(status, text):
    """A refused call."""
    kind = ERRORS.get(status, "overloaded_error" if status in (503, 529) else "api_error")
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_vendor"}


def error_frame(text):
    """A failure inside a stream."""
    return event("error", error={"type": "api_error", "message": text})


def history(request):
    """What the gateway has sent."""
    seen = History()
    for turn in request["messages"]:
        parts = turn["content"]
        parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
        for part in parts:
            match part["type"]:
                case "text":
                    seen.texts.append(part["text"])
                case "thinking":
                    seen.thoughts.append(part["thinking"])
                    seen.signatures.append(part["signature"])
                case "tool_use":
                    seen.calls.append((part["id"], part["name"], part["input"]))
                case "tool_result":
                    inner = part.get("content", "")
                    text = inner if isinstance(inner, str) else joined(inner)
                    seen.results.append((part["tool_use_id"], text))
                case "image":
                    seen.images.append((part["source"]["media_type"], part["source"]["data"]))
    return seen


def schema(request):
    """The schema that the answer must fit."""
    return request["output_config"]["format"]["schema"]


def tools(request):
    """Names of the functions that may be called."""
    return [tool["name"] for tool in request.get("tools") or [] if "input_schema" in tool]
