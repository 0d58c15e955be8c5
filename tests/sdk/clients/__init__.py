"""The official SDKs as clients. Each module has `MODES`: ways to ask a `Question`, streamed or not,
that give a `Meaning`. The first mode of each is the unstreamed one."""

from clients import anthropic_messages, genai_content, openai_chat, openai_completions, openai_responses

CLIENTS = {
    "chat": openai_chat,
    "messages": anthropic_messages,
    "generate": genai_content,
    "responses": openai_responses,
    "completions": openai_completions,
}

