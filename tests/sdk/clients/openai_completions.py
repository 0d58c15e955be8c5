"""The `openai` SDK's legacy completions: text, and nothing but text."""

from clients.failures import Unfinished
from clients.openai_chat import usage
from meaning import FILTER, LENGTH, STOP, Choice, Logprob, Meaning

FINISH = {"stop": STOP, "length": LENGTH, "content_filter": FILTER}


def request(question):
    """The SDK's arguments; a prompt has no place for tools or media."""
    arguments = {"model": question.model, "prompt": question.text, "max_tokens": 200}
    if question.choices:
        arguments["n"] = question.choices
    if question.logprobs:
        arguments["logprobs"] = 1
    return arguments


def logprobs(found):
    """Parallel lists as pairs."""
    return [Logprob(*pair) for pair in zip(found.tokens, found.token_logprobs)] if found else []


def create(sdks, question):
    """One whole answer."""
    done = sdks.openai.completions.create(**request(question))
    assert done.object == "text_completion" and done.id
    first, *others = done.choices
    return Meaning(
        text=first.text,
        finish=FINISH[first.finish_reason],
        usage=done.usage and usage(done.usage),
        logprobs=logprobs(first.logprobs),
        others=[Choice(other.text, FINISH[other.finish_reason]) for other in others],
    )


def iterate(sdks, question):
    """A stream, put together by hand; the SDK has no helper for it."""
    options = {"stream": True, "stream_options": {"include_usage": True}}
    out, choices = Meaning(), {}
    for chunk in sdks.openai_untyped.completions.create(**request(question), **options):
        if chunk.usage:
            out.usage = usage(chunk.usage)
        for choice in chunk.choices:
            state = choices.setdefault(choice.index, {"text": "", "finish": None})
            state["text"] += choice.text
            state["finish"] = FINISH.get(choice.finish_reason)
            if choice.index == 0:
                out.logprobs += logprobs(choice.logprobs)
    if not choices or any(state["finish"] is None for state in choices.values()):
        raise Unfinished("a choice without a finish")
    first, *others = (choices[index] for index in sorted(choices))
    out.text, out.finish = first["text"], first["finish"]
    out.others = [Choice(**other) for other in others]
    return out


MODES = {"create": create, "iterate": iterate}
