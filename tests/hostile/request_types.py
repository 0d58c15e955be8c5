"""The members of request types of the vendors' official SDKs that may be ids of what a vendor keeps."""

import functools
import importlib
import re
import types
import typing

from typing_extensions import is_typeddict

ID_LIKE = re.compile(
    r"(^|_)(id|ids|uri|uris|name|names|store|stores|datastore|token|reference|references|resource|resources|arn|bucket|"
    r"corpus|corpora|container|conversation|prompt|session|thread|assistant|handle|key|ref|cached_content|engine)$"
)
PARTS_OF_GOOGLE = {
    "contents": "ContentDict",
    "system_instruction": "ContentDict",
    "tools": "ToolDict",
    "tool_config": "ToolConfigDict",
    "generation_config": "GenerationConfigDict",
}
SURFACES = {
    "chat_completions": ["openai.types.chat.completion_create_params:CompletionCreateParamsNonStreaming"],
    "text_completions": ["openai.types.completion_create_params:CompletionCreateParamsNonStreaming"],
    "responses": [
        "openai.types.responses.response_create_params:ResponseCreateParamsNonStreaming",
        "openai.types.responses.input_token_count_params:InputTokenCountParams",
    ],
    "realtime": ["openai.types.realtime.realtime_client_event_param:RealtimeClientEventParam"],
    "messages": [
        "anthropic.types.message_create_params:MessageCreateParamsNonStreaming",
        "anthropic.types.beta.message_create_params:MessageCreateParamsNonStreaming",
        "anthropic.types.beta.message_count_tokens_params:MessageCountTokensParams",
    ],
    "other": [
        "openai.types.embedding_create_params:EmbeddingCreateParams",
        "openai.types.image_generate_params:ImageGenerateParamsNonStreaming",
        "openai.types.image_edit_params:ImageEditParamsNonStreaming",
        "openai.types.audio.speech_create_params:SpeechCreateParams",
        "openai.types.moderation_create_params:ModerationCreateParams",
    ],
}
WRAPPERS = {"Annotated", "Required", "NotRequired", "ReadOnly"}
LISTS = {"list", "Iterable", "Sequence", "SequenceNotStr"}


def unwrapped(kind):
    """The types that a value of this type may have; of a list, those of its entries."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        return [kind]
    name = getattr(origin, "__name__", str(origin))
    if origin in (typing.Union, types.UnionType):
        return [one for argument in arguments for one in unwrapped(argument)]
    if name in WRAPPERS or name in LISTS:
        return unwrapped(arguments[0])
    return [kind]


@functools.cache
def hints(kind):
    """The members of a type."""
    return typing.get_type_hints(kind)


def members(kind, path=(), seen=frozenset()):
    """The paths of all members of a type, each a tuple of names."""
    for one in unwrapped(kind):
        if not is_typeddict(one) or one in seen:
            continue
        for name, value in hints(one).items():
            yield (*path, name)
            yield from members(value, (*path, name), seen | {one})


def paths_of(spec):
    """The paths of a type that is named `module:class`."""
    module, name = spec.split(":")
    return members(getattr(importlib.import_module(module), name))


def google():
    """The paths of generate content, whose SDK has no type of the whole body."""
    types_of = importlib.import_module("google.genai.types")
    for name, kind in PARTS_OF_GOOGLE.items():
        yield (name,)
        yield from members(getattr(types_of, kind), (name,))
    for path in members(types_of.GenerateContentConfigDict):
        if len(path) == 1:
            yield path


def id_like():
    """Every path that may be an id, with the format that it belongs to."""
    found = {("generate_content", path) for path in google()}
    for surface, specs in SURFACES.items():
        found |= {(surface, path) for spec in specs for path in paths_of(spec)}
    return sorted((surface, path) for surface, path in found if ID_LIKE.search(path[-1]))
