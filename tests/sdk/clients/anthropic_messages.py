"""The `anthropic` SDK's messages."""

from clients.failures import Unfinished
from meaning import FILTER, LENGTH, STOP, TOOL, Call, Citation, Meaning, Usage, arguments

FINISH = {
    "end_turn": STOP,
    "stop_sequence": STOP,
    "pause_turn": STOP,
    "max_tokens": LENGTH,
    "model_context_window_exceeded": LENGTH,
    "tool_use": TOOL,
    "refusal": FILTER,
}


def request(question):
    """The SDK's arguments."""
    content = [{"type": "text", "text": question.text}]
    for media in question.media:
        source = {"type": "base64", "media_type": media.kind, "data": media.data}
        content.append({"type": "image", "source": source})
    messages = [{"role": "user", "content": content}]
    asked = {"model": question.model, "max_tokens": 500, "messages": messages}
    if question.tools:
        asked["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
            for tool in question.tools
        ]
    return asked


def usage(used):
    """The SDK's usage object: the prompt beside its caches."""
    details = used.output_tokens_details
    return Usage(
        input=used.input_tokens + used.cache_read_input_tokens + used.cache_creation_input_tokens,
        cached=used.cache_read_input_tokens,
        written=used.cache_creation_input_tokens,
        output=used.output_tokens,
        reasoning=details.thinking_tokens if details else 0,
    )


def read(message):
    """A whole message."""
    out = Meaning(raw=message.content)
    for block in message.content:
        match block.type:
            case "text":
                out.text += block.text
                out.citations += [
                    Citation(note.url, note.title, block.text)
                    for note in block.citations or []
                    if note.type == "web_search_result_location"
                ]
            case "thinking":
                out.reasoning += block.thinking
            case "tool_use":
                out.calls.append(Call(block.name, block.input, block.id))
    if message.stop_reason is None:
        raise Unfinished("no stop reason")
    out.finish = FINISH[message.stop_reason]
    out.usage = usage(message.usage)
    return out


def create(sdks, question):
    """One whole answer."""
    return read(sdks.anthropic.messages.create(**request(question)))


def iterate(sdks, question):
    """A stream, put together by hand."""
    fold = Fold()
    for event in sdks.anthropic.messages.create(**request(question), stream=True):
        fold.take(event)
    return fold.meaning()


def helper(sdks, question):
    """A stream, put together by the SDK; the texts that it hands out must come to the same."""
    with sdks.anthropic.messages.stream(**request(question)) as stream:
        texts = "".join(stream.text_stream)
        out = read(stream.get_final_message())
    assert texts == out.text
    return out


class Fold:
    """Puts events together by hand, and sees to it that one block is open at a time."""

    def __init__(self):
        self.message, self.blocks, self.open, self.ended = None, [], None, False

    def take(self, event):
        """One event."""
        assert not self.ended, "an event after the last"
        match event.type:
            case "message_start":
                assert self.message is None and event.message.content == []
                self.message = event.message
            case "content_block_start":
                assert self.open is None and event.index == len(self.blocks)
                self.open = event.index
                self.blocks.append((event.content_block, []))
            case "content_block_delta":
                assert event.index == self.open
                self.blocks[event.index][1].append(event.delta)
            case "content_block_stop":
                assert event.index == self.open
                self.open = None
            case "message_delta":
                assert self.open is None, "a block without an end"
                self.message.stop_reason = event.delta.stop_reason
                counted = event.usage.model_dump(exclude_none=True)
                self.message.usage = self.message.usage.model_copy(
                    update=counted | {"output_tokens_details": event.usage.output_tokens_details}
                )
            case "message_stop":
                self.ended = True

    def meaning(self):
        """What it all came to."""
        if not self.ended:
            raise Unfinished("no message_stop")
        for block, changes in self.blocks:
            kinds = [change.type for change in changes]
            match block.type:
                case "text":
                    block.text += "".join(change.text for change in changes if change.type == "text_delta")
                    notes = [change.citation for change in changes if change.type == "citations_delta"]
                    block.citations = notes or None
                case "thinking":
                    assert kinds.count("signature_delta") == 1 and kinds[-1] == "signature_delta"
                    block.thinking += "".join(change.thinking for change in changes[:-1])
                    block.signature = changes[-1].signature
                case "tool_use":
                    block.input = arguments("".join(change.partial_json for change in changes) or "{}")
            self.message.content.append(block)
        return read(self.message)


MODES = {"create": create, "iterate": iterate, "helper": helper}


def follow_up(question, meaning, results):
    """The next request: the blocks as the SDK gave them, then the tools' results."""
    asked = request(question)
    answers = [
        {"type": "tool_result", "tool_use_id": call.id, "content": result}
        for call, result in zip(meaning.calls, results)
    ]
    asked["messages"] += [
        {"role": "assistant", "content": meaning.raw},
        {"role": "user", "content": answers},
    ]
    return asked


def send(sdks, asked):
    """Asks with the SDK's own arguments."""
    return read(sdks.anthropic.messages.create(**asked))
