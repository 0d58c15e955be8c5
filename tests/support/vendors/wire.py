"""What all vendors share: server-sent events, text in pieces, and the reading of a history."""

import json
from dataclasses import dataclass, field


def compact(value):
    """JSON as vendors write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def arguments(call):
    """A call's arguments as text; those that were cut off are text already."""
    return call if isinstance(call, str) else compact(call)


def sse(data, event=None):
    """One server-sent event."""
    name = f"event: {event}\n" if event else ""
    text = data if isinstance(data, str) else compact(data)
    return f"{name}data: {text}\n\n".encode()


def pieces(text, size=5):
    """A text as a model streams it; pieces end anywhere but inside a character."""
    return [text[at : at + size] for at in range(0, len(text), size)]


@dataclass
class History:
    """What a request to a vendor says of the turns so far, free of its dialect.

    `results` are pairs of a call's id (its name, where the vendor has no ids) and the text.
    """

    texts: list[str] = field(default_factory=list)
    calls: list[tuple[str, str, dict]] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)
    audio: list[tuple[str, str]] = field(default_factory=list)


def joined(parts):
    """The texts of some parts, whatever else is among them."""
    return "".join(part.get("text") or "" for part in parts)


def split_data_url(url):
    """A data URL's media type and data."""
    head, data = url.split(",", 1)
    return head.removeprefix("data:").removesuffix(";base64"), data
