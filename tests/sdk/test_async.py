"""The SDKs' asynchronous clients read streams with code of their own, so they are asked too."""

import asyncio

import pytest

from answers import SCENARIOS
from clients import anthropic_messages, genai_content, openai_chat, openai_responses
from comparing import assert_understood, expected
from questions import TOOLS, Question
from sdks import AsyncSdks
from vendors import VENDORS


async def chat_helper(sdks, question):
    """Chat completions, put together by the SDK."""
    asked = openai_chat.request(question) | {"stream_options": {"include_usage": True}}
    async with sdks.openai.chat.completions.stream(**asked) as stream:
        async for _ in stream:
            pass
        return openai_chat.read(await stream.get_final_completion())


async def chat_iterate(sdks, question):
    """Chat completions, chunk by chunk."""
    fold = openai_chat.Fold()
    options = {"stream": True, "stream_options": {"include_usage": True}}
    async for chunk in await sdks.openai.chat.completions.create(**openai_chat.request(question), **options):
        fold.take(chunk)
    return fold.meaning()


async def responses_helper(sdks, question):
    """Responses, put together by the SDK."""
    async with sdks.openai.responses.stream(**openai_responses.request(question)) as stream:
        return openai_responses.read(await stream.get_final_response())


async def responses_iterate(sdks, question):
    """Responses, event by event."""
    fold = openai_responses.Fold()
    async for event in await sdks.openai.responses.create(**openai_responses.request(question), stream=True):
        fold.take(event)
    return fold.meaning()


async def messages_helper(sdks, question):
    """Messages, put together by the SDK."""
    async with sdks.anthropic.messages.stream(**anthropic_messages.request(question)) as stream:
        return anthropic_messages.read(await stream.get_final_message())


async def messages_iterate(sdks, question):
    """Messages, event by event."""
    fold = anthropic_messages.Fold()
    async for event in await sdks.anthropic.messages.create(**anthropic_messages.request(question), stream=True):
        fold.take(event)
    return fold.meaning()


async def generate_create(sdks, question):
    """Generate content, whole."""
    return genai_content.fold([await sdks.genai.models.generate_content(**genai_content.request(question))])


async def generate_iterate(sdks, question):
    """Generate content, chunk by chunk."""
    chunks = await sdks.genai.models.generate_content_stream(**genai_content.request(question))
    return genai_content.fold([chunk async for chunk in chunks])


ASKERS = {
    chat_helper: "chat",
    chat_iterate: "chat",
    responses_helper: "responses",
    responses_iterate: "responses",
    messages_helper: "messages",
    messages_iterate: "messages",
    generate_create: "generate",
    generate_iterate: "generate",
}


@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize("asker", ASKERS)
def test_an_asynchronous_client_understands_the_same(gateway, vendor, asker, upstream):
    answer = SCENARIOS["reasoning, text and tool call"]
    vendor.say(upstream, answer)

    async def ask():
        return await asker(AsyncSdks(gateway.url), Question(f"up-{upstream}", tools=TOOLS))

    got = asyncio.run(ask())
    assert_understood(got, expected(answer, upstream, ASKERS[asker]))
