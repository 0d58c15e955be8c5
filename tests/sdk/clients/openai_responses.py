"""The `openai` SDK's responses."""

from clients.failures import Unfinished
from clients.openai_chat import media_part as chat_media_part
from meaning import FILTER, LENGTH, STOP, TOOL, Call, Citation, Logprob, Meaning, Usage, arguments


def request(question):
    """The SDK's arguments."""
    content = [{"type": "input_text", "text": question.text}, *map(media_part, question.media)]
    asked = {"model": question.model, "input": [{"role": "user", "content": content}]}
    if question.tools:
        asked["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
                "strict": False,
            }
            for tool in question.tools
        ]
    if question.logprobs:
        asked |= {"include": ["message.output_text.logprobs"], "top_logprobs": 1}
    return asked


def media_part(media):
    """An image or a sound."""
    if media.kind.startswith("audio/"):
        return chat_media_part(media)
    url = f"data:{media.kind};base64,{media.data}"
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def usage(used):
    """The SDK's usage object."""
    assert used.total_tokens == used.input_tokens + used.output_tokens
    return Usage(
        input=used.input_tokens,
        cached=used.input_tokens_details.cached_tokens,
        written=getattr(used.input_tokens_details, "cache_write_tokens", 0) or 0,
        output=used.output_tokens,
        reasoning=used.output_tokens_details.reasoning_tokens,
    )


def finish(response, calls, refused):
    """Why it ended."""
    if response.status == "incomplete":
        reason = response.incomplete_details.reason
        return {"max_output_tokens": LENGTH, "content_filter": FILTER}[reason]
    if response.status != "completed":
        raise Unfinished(f"{response.status}: {response.error}")
    return TOOL if calls else FILTER if refused else STOP


def read(response):
    """A whole response."""
    out, refused = Meaning(raw=response.output), False
    for item in response.output:
        if item.type == "reasoning":
            out.reasoning += "\n\n".join(part.text for part in item.summary)
            out.reasoning += "".join(part.text for part in item.content or [])
        elif item.type == "function_call":
            out.calls.append(Call(item.name, arguments(item.arguments), item.call_id))
        elif item.type == "custom_tool_call":
            out.calls.append(Call(item.name, item.input, item.call_id))
        elif item.type == "message":
            for part in item.content:
                refused |= part.type == "refusal"
                read_part(part, out)
    out.finish = finish(response, out.calls, refused)
    out.usage = response.usage and usage(response.usage)
    return out


def read_part(part, out):
    """A message's part."""
    if part.type == "refusal":
        out.text += part.refusal
        return
    out.text += part.text
    for note in part.annotations:
        out.citations.append(Citation(note.url, note.title, part.text[note.start_index : note.end_index]))
    out.logprobs += [Logprob(token.token, token.logprob) for token in part.logprobs or []]


def create(sdks, question):
    """One whole answer."""
    return read(sdks.openai.responses.create(**request(question)))


def iterate(sdks, question):
    """A stream: its pieces must come to what its last event says."""
    fold = Fold()
    for event in sdks.openai.responses.create(**request(question), stream=True):
        fold.take(event)
    return fold.meaning()


def helper(sdks, question):
    """A stream, put together by the SDK, which does so only for complete answers."""
    last = None
    with sdks.openai.responses.stream(**request(question)) as stream:
        for event in stream:
            last = event
        if last.type == "response.completed":
            return read(stream.get_final_response())
    return read(last.response)


class Fold:
    """Puts events together by hand."""

    def __init__(self):
        self.number, self.text, self.reasoning, self.last = -1, "", "", None
        self.items, self.open, self.arguments, self.tokens = {}, set(), {}, []

    def take(self, event):
        """One event."""
        assert event.sequence_number == self.number + 1, "a number is missing"
        assert self.last is None, "an event after the last"
        self.number = event.sequence_number
        match event.type:
            case "response.output_item.added":
                assert event.output_index == len(self.items), "items begin in order"
                self.items[event.output_index] = event.item
                self.open.add(event.output_index)
            case "response.output_item.done":
                self.items[event.output_index] = event.item
                self.open.remove(event.output_index)
            case "response.output_text.delta":
                self.text += event.delta
            case "response.output_text.done":
                self.tokens += [token.token for token in event.logprobs or []]
            case "response.refusal.delta":
                self.text += event.delta
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                self.reasoning += event.delta
            case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
                before = self.arguments.get(event.output_index, "")
                self.arguments[event.output_index] = before + event.delta
            case "response.completed" | "response.incomplete" | "response.failed":
                self.last = event.response

    def meaning(self):
        """What it all came to."""
        if self.last is None:
            raise Unfinished("no last event")
        out = read(self.last)
        assert not self.open, "an item without an end"
        assert list(self.items.values()) == self.last.output
        assert self.text == out.text
        assert self.reasoning == out.reasoning
        assert self.tokens == [token.token for token in out.logprobs]
        assert [arguments(text) for text in self.arguments.values()] == [call.arguments for call in out.calls]
        return out


MODES = {"create": create, "iterate": iterate, "helper": helper}


def follow_up(question, meaning, results):
    """The next request: the output items as the SDK gave them, then the tools' results."""
    asked = request(question)
    asked["input"] += meaning.raw
    for call, result in zip(meaning.calls, results):
        asked["input"].append({"type": "function_call_output", "call_id": call.id, "output": result})
    return asked


def send(sdks, asked):
    """Asks with the SDK's own arguments."""
    return read(sdks.openai.responses.create(**asked))
