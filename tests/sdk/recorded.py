"""Recorded vendor streams, where they are present, as the scripted vendor can play them.

A stream's whole answer is what the vendor's own SDK puts together from it, so that both can be
carried to every other client and compared.
"""

import json
import os
import pathlib
from dataclasses import dataclass

from program import REPOSITORY
from vendors.wire import sse

FOLDERS = {"chat-completions": "chat", "anthropic": "messages", "google": "generate", "responses": "responses"}
FILES = {"response-streaming.json": "", "followup-response-streaming.json": "+"}


@dataclass(frozen=True)
class Recording:
    """One recorded stream."""

    name: str
    dialect: str
    path: pathlib.Path

    def events(self):
        """The data of its frames."""
        return json.loads(self.path.read_text())

    def is_of_its_dialect(self):
        """Whether these are events that the vendor has; one recording holds other words."""
        return self.dialect not in ("messages", "responses") or "type" in self.events()[0]

    def has_free_text_calls(self):
        """Whether tools that take free text are called."""
        return "custom_tool_call" in self.path.read_text()

    def frames(self):
        """Its frames as the vendor sent them."""
        events = self.events()
        if self.dialect in ("messages", "responses"):
            return [sse(event, event["type"]) for event in events]
        return [sse(event) for event in events] + ([sse("[DONE]")] if self.dialect == "chat" else [])


def folder():
    """Where the recordings are: `MODELGATE_TRAFFIC`, or beside the repository."""
    given = os.environ.get("MODELGATE_TRAFFIC")
    return pathlib.Path(given) if given else REPOSITORY.parent / "shared" / "vendor-traffic"


def recordings():
    """All recorded streams, by case and dialect."""
    found = []
    for path in sorted(folder().glob("*/*/*-streaming.json")):
        if path.parent.name in FOLDERS and path.name in FILES:
            case = path.parent.parent.name + FILES[path.name]
            found.append(Recording(case, FOLDERS[path.parent.name], path))
    return [one for one in found if one.is_of_its_dialect()]


def whole_chat(sdks, model):
    """The whole completion that the stream comes to."""
    asked = {"model": model, "messages": [], "stream_options": {"include_usage": True}}
    with sdks.openai.chat.completions.stream(**asked) as stream:
        for _ in stream:
            pass
        snapshot = stream.current_completion_snapshot.to_dict()
    for choice in snapshot["choices"]:
        for call in choice["message"].get("tool_calls") or []:
            call.pop("index", None)
            call.get("function", {}).pop("parsed_arguments", None)
    return snapshot


def whole_messages(sdks, model):
    """The whole message that the stream comes to."""
    with sdks.anthropic.messages.stream(model=model, max_tokens=9, messages=[]) as stream:
        return stream.get_final_message().to_dict()


def whole_responses(events):
    """The whole response, which the last event repeats."""
    return events[-1]["response"]


def add_part(parts, part):
    """Adds a part; text goes on with the text before it, since citations count in whole parts."""
    last = parts[-1] if parts else {}
    same = "text" in part and "text" in last and "thoughtSignature" not in last
    if same and part.get("thought") == last.get("thought"):
        parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
    else:
        parts.append(part)


def whole_generate(events):
    """The whole response: all parts in order, and what the last chunk says."""
    whole = dict(events[-1])
    candidates = {}
    for event in events:
        for candidate in event.get("candidates") or []:
            kept = candidates.setdefault(candidate.get("index", 0), {})
            parts = kept.get("content", {}).get("parts", [])
            for part in candidate.get("content", {}).get("parts", []):
                add_part(parts, part)
            kept.update(candidate)
            kept["content"] = {"role": "model", **({"parts": parts} if parts else {})}
    if candidates:
        whole["candidates"] = [candidates[index] for index in sorted(candidates)]
    return whole


def whole(recording, direct_sdks):
    """The whole answer of a recording that the vendor is playing."""
    model = f"up-{recording.dialect}"
    match recording.dialect:
        case "chat":
            return whole_chat(direct_sdks, model)
        case "messages":
            return whole_messages(direct_sdks, model)
        case "responses":
            return whole_responses(recording.events())
    return whole_generate(recording.events())
