"""The `openai` SDK's chat completions."""

import openai

from clients.failures import Unfinished
from meaning import FILTER, LENGTH, STOP, TOOL, Call, Choice, Citation, Logprob, Meaning, Usage, arguments

FINISH = {"stop": STOP, "length": LENGTH, "tool_calls": TOOL, "content_filter": FILTER}


def request(question):
    """The SDK's arguments."""
    asked = {"model": question.model, "messages": [{"role": "user", "content": content(question)}]}
    if question.tools:
        asked["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
            }
            for tool in question.tools
        ]
    if question.choices:
        asked["n"] = question.choices
    if question.logprobs:
        asked |= {"logprobs": True, "top_logprobs": 1}
    return asked


def content(question):
    """The user's words, with media beside them."""
    if not question.media:
        return question.text
    return [{"type": "text", "text": question.text}, *map(media_part, question.media)]


def media_part(media):
    """An image or a sound."""
    if media.kind.startswith("audio/"):
        sound = {"data": media.data, "format": media.kind.removeprefix("audio/")}
        return {"type": "input_audio", "input_audio": sound}
    return {"type": "image_url", "image_url": {"url": f"data:{media.kind};base64,{media.data}"}}


def usage(used):
    """The SDK's usage object."""
    read, made = used.prompt_tokens_details, used.completion_tokens_details
    assert used.total_tokens == used.prompt_tokens + used.completion_tokens
    return Usage(
        input=used.prompt_tokens,
        cached=(read and read.cached_tokens) or 0,
        written=(read and getattr(read, "cache_write_tokens", 0)) or 0,
        output=used.completion_tokens,
        reasoning=(made and made.reasoning_tokens) or 0,
    )


def citations(notes, text):
    """Citations with the stretch of text that they cover."""
    pages = [getattr(note, "url_citation", None) or note["url_citation"] for note in notes or []]
    pages = [page if isinstance(page, dict) else page.model_dump() for page in pages]
    return [Citation(p["url"], p["title"], text[p["start_index"] : p["end_index"]]) for p in pages]


def read_call(call):
    """A call of a function, or of a tool that takes free text."""
    if call.type == "custom":
        return Call(call.custom.name, call.custom.input, call.id)
    return Call(call.function.name, arguments(call.function.arguments), call.id)


def read(completion):
    """A whole completion."""
    assert completion.id and completion.object == "chat.completion"
    first, *others = completion.choices
    message = first.message
    text = message.content or ""
    tokens = (first.logprobs and first.logprobs.content) or []
    return Meaning(
        text=text + (message.refusal or ""),
        reasoning=getattr(message, "reasoning_content", None) or "",
        calls=[read_call(call) for call in message.tool_calls or []],
        finish=FINISH[first.finish_reason],
        usage=completion.usage and usage(completion.usage),
        citations=citations(message.annotations, text),
        logprobs=[Logprob(token.token, token.logprob) for token in tokens],
        others=[Choice(other.message.content, FINISH[other.finish_reason]) for other in others],
        raw=message,
    )


def create(sdks, question, **more):
    """One whole answer."""
    return read(sdks.openai.chat.completions.create(**request(question), **more))


def iterate(sdks, question):
    """A stream, put together as most programs do it."""
    options = {"stream": True, "stream_options": {"include_usage": True}}
    fold = Fold()
    for chunk in sdks.openai.chat.completions.create(**request(question), **options):
        fold.take(chunk)
    return fold.meaning()


def helper(sdks, question):
    """A stream, put together by the SDK."""
    asked = request(question) | {"stream_options": {"include_usage": True}}
    with sdks.openai.chat.completions.stream(**asked) as stream:
        for _ in stream:
            pass
        return read(final_completion(stream))


def final_completion(stream):
    """The SDK's result; of an answer that was cut or filtered it hands it out as an exception."""
    try:
        return stream.get_final_completion()
    except (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError) as cut:
        return cut.completion


class Fold:
    """Puts chunks together by hand."""

    def __init__(self):
        self.ids, self.choices, self.calls, self.out = set(), {}, {}, Meaning()

    def take(self, chunk):
        """One chunk."""
        assert chunk.object == "chat.completion.chunk"
        self.ids.add((chunk.id, chunk.created, chunk.model))
        assert self.out.usage is None, "a chunk after the usage"
        if chunk.usage:
            self.out.usage = usage(chunk.usage)
        for choice in chunk.choices:
            self.take_choice(choice)

    def take_choice(self, choice):
        """One choice's change."""
        state = self.choices.setdefault(choice.index, {"text": "", "finish": None})
        assert state["finish"] is None, "a change after the finish"
        delta = choice.delta
        state["text"] += (delta.content or "") + (delta.refusal or "")
        state["finish"] = FINISH.get(choice.finish_reason)
        if choice.index:
            return
        self.out.reasoning += getattr(delta, "reasoning_content", None) or ""
        notes = getattr(delta, "annotations", None)
        self.out.citations += citations(notes, state["text"])
        for token in (choice.logprobs and choice.logprobs.content) or []:
            self.out.logprobs.append(Logprob(token.token, token.logprob))
        for piece in delta.tool_calls or []:
            self.take_call(piece)

    def take_call(self, piece):
        """A piece of a call: its head once, then arguments."""
        # The SDK has no type for pieces of free text, it keeps them as they are.
        free = getattr(piece, "custom", None)
        if piece.id:
            assert piece.index == len(self.calls), "calls begin in order"
            name = free["name"] if free else piece.function.name
            self.calls[piece.index] = [piece.id, name, ""]
        self.calls[piece.index][2] += free["input"] if free else piece.function.arguments or ""

    def meaning(self):
        """What it all came to."""
        if not self.choices or any(state["finish"] is None for state in self.choices.values()):
            raise Unfinished("a choice without a finish")
        assert len(self.ids) == 1, self.ids
        first, *others = (self.choices[index] for index in sorted(self.choices))
        self.out.text, self.out.finish = first["text"], first["finish"]
        self.out.others = [Choice(other["text"], other["finish"]) for other in others]
        self.out.calls = [Call(name, arguments(text), id) for id, name, text in self.calls.values()]
        return self.out


MODES = {"create": create, "iterate": iterate, "helper": helper}


def follow_up(question, meaning, results):
    """The next request: the answer as the SDK gave it, then the tools' results."""
    asked = request(question)
    asked["messages"].append(meaning.raw)
    for call, result in zip(meaning.calls, results):
        asked["messages"].append({"role": "tool", "tool_call_id": call.id, "content": result})
    return asked


def send(sdks, asked):
    """Asks with the SDK's own arguments."""
    return read(sdks.openai.chat.completions.create(**asked))
