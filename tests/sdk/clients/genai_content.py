"""The `google-genai` SDK's content generation and its chat helper."""

import base64

from google.genai import types

from clients.failures import Unfinished
from meaning import FILTER, LENGTH, STOP, TOOL, Call, Choice, Citation, Logprob, Meaning, Usage

FINISH = {
    "STOP": STOP,
    "OTHER": STOP,
    "NO_IMAGE": STOP,
    "MAX_TOKENS": LENGTH,
    "SAFETY": FILTER,
    "PROHIBITED_CONTENT": FILTER,
}


def request(question):
    """The SDK's arguments."""
    parts = [types.Part(text=question.text)]
    for media in question.media:
        blob = types.Blob(mime_type=media.kind, data=base64.b64decode(media.data))
        parts.append(types.Part(inline_data=blob))
    config = types.GenerateContentConfig()
    if question.tools:
        functions = [
            types.FunctionDeclaration(
                name=tool.name, description=tool.description, parameters_json_schema=tool.schema
            )
            for tool in question.tools
        ]
        config.tools = [types.Tool(function_declarations=functions)]
    config.candidate_count = question.choices
    if question.logprobs:
        config.response_logprobs, config.logprobs = True, 1
    return {"model": question.model, "contents": [types.UserContent(parts)], "config": config}


def usage(used):
    """The SDK's usage object; zeros are left out on this wire."""
    prompt = (used.prompt_token_count or 0) + (used.tool_use_prompt_token_count or 0)
    made, thought = used.candidates_token_count or 0, used.thoughts_token_count or 0
    assert used.total_token_count == prompt + made + thought
    return Usage(
        input=prompt, cached=used.cached_content_token_count or 0, output=made + thought, reasoning=thought
    )


class Fold:
    """Puts responses together: a whole answer is one of them, a stream many."""

    def __init__(self):
        self.out, self.others, self.grounding, self.parts, self.ids = Meaning(), {}, None, [], set()

    def take(self, response):
        """One response."""
        self.ids.add(response.response_id)
        self.out.usage = usage(response.usage_metadata) if response.usage_metadata else self.out.usage
        for candidate in response.candidates or []:
            parts = (candidate.content and candidate.content.parts) or []
            reason = candidate.finish_reason
            finish = FINISH[reason.value] if reason else None
            if candidate.index:
                text, _ = self.others.get(candidate.index, ("", None))
                self.others[candidate.index] = (text + "".join(part.text for part in parts), finish)
                continue
            assert self.out.finish is None, "a change after the finish"
            self.parts += parts
            self.grounding = candidate.grounding_metadata or self.grounding
            self.out.finish = finish
            if candidate.logprobs_result:
                tokens = candidate.logprobs_result.chosen_candidates
                self.out.logprobs += [Logprob(token.token, token.log_probability) for token in tokens]

    def meaning(self):
        """What it all came to."""
        out = self.out
        for part in self.parts:
            if part.function_call:
                call = part.function_call
                out.calls.append(Call(call.name, call.args or {}, call.id))
            elif part.thought:
                out.reasoning += part.text
            else:
                out.text += part.text or ""
        if out.finish is None:
            raise Unfinished("no finish reason")
        assert len(self.ids) == 1, self.ids
        if out.finish == STOP and out.calls:
            out.finish = TOOL
        out.citations = self.citations()
        out.others = [Choice(*self.others[index]) for index in sorted(self.others)]
        return out

    def citations(self):
        """Citations with the stretch of text that they cover; this dialect counts bytes."""
        if not self.grounding:
            return []
        text, found = self.out.text.encode(), []
        for support in self.grounding.grounding_supports or []:
            covered = text[support.segment.start_index or 0 : support.segment.end_index].decode()
            for index in support.grounding_chunk_indices:
                web = self.grounding.grounding_chunks[index].web
                found.append(Citation(web.uri, web.title, covered))
        return found


def fold(responses):
    """All of these responses."""
    state = Fold()
    for response in responses:
        state.take(response)
    return state.meaning()


def create(sdks, question):
    """One whole answer."""
    return fold([sdks.genai.models.generate_content(**request(question))])


def iterate(sdks, question):
    """A stream."""
    return fold(sdks.genai.models.generate_content_stream(**request(question)))


def open_chat(sdks, arguments):
    """The SDK's chat helper, and the first message to send."""
    chat = sdks.genai.chats.create(model=arguments["model"], config=arguments["config"])
    return chat, arguments["contents"][0].parts


def chat(sdks, question):
    """One whole answer through the chat helper, which keeps it as history."""
    session, parts = open_chat(sdks, request(question))
    out = fold([session.send_message(parts)])
    out.raw = session
    return out


def chat_stream(sdks, question):
    """A stream through the chat helper, which keeps it as history."""
    session, parts = open_chat(sdks, request(question))
    out = fold(session.send_message_stream(parts))
    out.raw = session
    return out


MODES = {"create": create, "iterate": iterate, "chat": chat, "chat stream": chat_stream}


def follow_up(question, meaning, results):
    """The next message of the chat, which goes on with the history that the helper kept."""
    responses = [
        types.FunctionResponse(id=call.id, name=call.name, response={"output": result})
        for call, result in zip(meaning.calls, results)
    ]
    asked = request(question)
    parts = [types.Part(function_response=one) for one in responses]
    return asked | {"contents": parts, "history": meaning.raw.get_history(curated=True)}


def send(sdks, asked):
    """Sends the message."""
    parts = asked.pop("contents")
    return fold([sdks.genai.chats.create(**asked).send_message(parts)])
