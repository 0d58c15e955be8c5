"""A vendor that speaks Amazon's Converse, in Amazon's binary frames."""

import struct
import zlib

from answers import Thought
from meaning import FILTER, LENGTH, STOP, TOOL, Call
from vendors.wire import History, arguments, compact, joined, pieces

PATH = r"/model/[^/]+/converse(-stream)?$"
STREAM_TYPE = "application/vnd.amazon.eventstream"
FINISH = {STOP: "end_turn", LENGTH: "max_tokens", TOOL: "tool_use", FILTER: "content_filtered"}


def usage(answer):
    """The usage object: the prompt beside its caches; reasoning is not counted by itself."""
    used = answer.usage
    return {
        "inputTokens": used.input - used.cached - used.written,
        "outputTokens": used.output,
        "totalTokens": used.input + used.output,
        "cacheReadInputTokens": used.cached,
        "cacheWriteInputTokens": used.written,
    }


def block(part, ordinal):
    """One part."""
    if isinstance(part, Thought):
        signed = {"signature": part.signature} if part.signature else {}
        return {"reasoningContent": {"reasoningText": {"text": part.text, **signed}}}
    if isinstance(part, Call):
        id = part.id or f"tooluse_{ordinal}"
        return {"toolUse": {"toolUseId": id, "name": part.name, "input": part.arguments}}
    return {"text": part.text}


def body(answer):
    """The whole answer."""
    content = [block(part, at) for at, part in enumerate(answer.parts)]
    return {
        "metrics": {"latencyMs": 7},
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": FINISH[answer.finish],
        "usage": usage(answer),
    }


def framed(kind, payload, message_type="event"):
    """One binary message."""
    names = {f":{message_type}-type": kind, ":content-type": "application/json", ":message-type": message_type}
    head = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in names.items()
    )
    data = compact(payload).encode()
    prelude = struct.pack("!II", 12 + len(head) + len(data) + 4, len(head))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + head + data
    return message + struct.pack("!I", zlib.crc32(message))


def deltas(part):
    """The pieces of a part."""
    if isinstance(part, Thought):
        words = [{"reasoningContent": {"text": piece}} for piece in pieces(part.text)]
        return words + ([{"reasoningContent": {"signature": part.signature}}] if part.signature else [])
    if isinstance(part, Call):
        whole = arguments(part.arguments) if part.arguments else ""
        return [{"toolUse": {"input": piece}} for piece in pieces(whole)]
    return [{"text": piece} for piece in pieces(part.text)]


def frames(answer):
    """The answer as a stream. Only calls have a frame for their beginning."""
    out = [framed("messageStart", {"role": "assistant", "p": "abcdef"})]
    for index, part in enumerate(answer.parts):
        place = {"contentBlockIndex": index}
        if isinstance(part, Call):
            head = {"toolUseId": part.id or f"tooluse_{index}", "name": part.name}
            out.append(framed("contentBlockStart", {**place, "start": {"toolUse": head}}))
        out += [framed("contentBlockDelta", {**place, "delta": delta}) for delta in deltas(part)]
        out.append(framed("contentBlockStop", place))
    out.append(framed("messageStop", {"stopReason": FINISH[answer.finish]}))
    return [*out, framed("metadata", {"metrics": {"latencyMs": 7}, "usage": usage(answer)})]


def error(status, text):
    """A refused call."""
    return {"message": text}


def error_frame(text):
    """A failure inside a stream."""
    return framed("internalServerException", {"message": text}, "exception")


def history(request):
    """What the gateway has sent."""
    seen = History()
    for message in request["messages"]:
        for part in message["content"]:
            if "text" in part:
                seen.texts.append(part["text"])
            elif call := part.get("toolUse"):
                seen.calls.append((call["toolUseId"], call["name"], call["input"]))
            elif result := part.get("toolResult"):
                seen.results.append((result["toolUseId"], joined(result["content"])))
            elif image := part.get("image"):
                seen.images.append((f"image/{image['format']}", image["source"]["bytes"]))
            elif reasoning := part.get("reasoningContent"):
                seen.thoughts.append(reasoning["reasoningText"]["text"])
                seen.signatures.append(reasoning["reasoningText"]["signature"])
    return seen


def tools(request):
    """Names of the functions that may be called."""
    declared = request.get("toolConfig", {}).get("tools", [])
    return [tool["toolSpec"]["name"] for tool in declared if "toolSpec" in tool]
