"""What a client asks for beyond words: several choices, log probabilities, citations, media, schemas.

Where the vendor's dialect has no way to say it, the call is refused by name, never half done.
"""

import openai
import pydantic
import pytest
from google.genai import errors as genai_errors
from google.genai import types

from answers import CITATIONS, CITED, TOKENS, Answer, Text
from clients import CLIENTS, anthropic_messages, genai_content, openai_chat, openai_responses
from meaning import LENGTH, Call, Choice
from questions import Media, Question
from sdks import genai_client
from vendors import VENDORS

PIXEL = Media(
    "image/png",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
)
SOUND = Media("audio/wav", "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")


def ways(*clients):
    """All ways of these clients to ask."""
    return [pytest.param(name, mode, id=f"{name}-{mode}") for name in clients for mode in CLIENTS[name].MODES]


def streamed(*clients):
    """Their ways to stream."""
    return [way for way in ways(*clients) if way.values[1] not in ("create", "chat")]


def ask(sdks, client, mode, question):
    """Asks in this way."""
    return CLIENTS[client].MODES[mode](sdks, question)


@pytest.mark.parametrize("upstream", ["chat", "generate"])
@pytest.mark.parametrize(("client", "mode"), ways("chat", "generate", "completions"))
def test_several_choices_arrive_side_by_side(sdks, vendor, client, mode, upstream):
    vendor.say(upstream, Answer((Text("The first of two."),), others=("The other — öh.",)))
    got = ask(sdks, client, mode, Question(f"up-{upstream}", choices=2))
    asked = vendor.last.request
    assert 2 in (asked.get("n"), asked.get("generationConfig", {}).get("candidateCount"))
    assert (got.text, got.finish) == ("The first of two.", "stop")
    assert got.others == [Choice("The other — öh.", "stop")]
    assert got.usage.output == 7


@pytest.mark.parametrize("upstream", ["messages", "responses"])
@pytest.mark.parametrize(("client", "mode"), ways("chat", "completions"))
def test_several_choices_are_refused_where_the_vendor_gives_one(sdks, vendor, client, mode, upstream):
    with pytest.raises(openai.BadRequestError) as raised:
        ask(sdks, client, mode, Question(f"up-{upstream}", choices=2))
    assert raised.value.param == "n"
    assert not vendor.asked


@pytest.mark.parametrize("upstream", ["chat", "generate", "responses"])
@pytest.mark.parametrize(("client", "mode"), ways("chat", "generate", "responses", "completions"))
def test_log_probabilities_belong_to_their_tokens(sdks, vendor, client, mode, upstream):
    text = "".join(token.token for token in TOKENS)
    vendor.say(upstream, Answer((Text(text, logprobs=TOKENS),)))
    got = ask(sdks, client, mode, Question(f"up-{upstream}", logprobs=True))
    assert got.text == text
    assert got.logprobs == list(TOKENS)


@pytest.mark.parametrize("mode", openai_chat.MODES)
def test_log_probabilities_are_refused_where_the_vendor_has_none(sdks, vendor, mode):
    with pytest.raises(openai.BadRequestError) as raised:
        ask(sdks, "chat", mode, Question("up-messages", logprobs=True))
    assert raised.value.param == "logprobs"
    assert not vendor.asked


@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize(("client", "mode"), ways("chat", "messages", "generate", "responses"))
def test_citations_cover_the_words_that_they_cite(sdks, vendor, client, mode, upstream):
    vendor.say(upstream, Answer((Text(CITED, citations=CITATIONS),)))
    got = ask(sdks, client, mode, Question(f"up-{upstream}"))
    assert got.text == CITED
    # A messages citation needs a proof that only that vendor can give.
    lost = client == "messages" and upstream != "messages"
    assert got.citations == ([] if lost else list(CITATIONS))


@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize(("client", "mode"), ways("chat", "messages", "generate", "responses"))
def test_an_image_arrives_unchanged(sdks, vendor, client, mode, upstream):
    vendor.say(upstream, Answer((Text("A pixel."),)))
    got = ask(sdks, client, mode, Question(f"up-{upstream}", "What is this?", media=(PIXEL,)))
    assert got.text == "A pixel."
    seen = VENDORS[upstream].history(vendor.last.request)
    if client == upstream == "generate":
        # Its SDK writes the URL-safe alphabet, and its vendor takes it.
        seen.images = [(kind, data.replace("-", "+").replace("_", "/")) for kind, data in seen.images]
    assert seen.images == [(PIXEL.kind, PIXEL.data)]
    assert "What is this?" in seen.texts


@pytest.mark.parametrize("upstream", ["chat", "generate", "responses"])
@pytest.mark.parametrize(("client", "mode"), ways("chat", "generate", "responses"))
def test_a_sound_arrives_unchanged(sdks, vendor, client, mode, upstream):
    vendor.say(upstream, Answer((Text("Silence."),)))
    ask(sdks, client, mode, Question(f"up-{upstream}", media=(SOUND,)))
    seen = VENDORS[upstream].history(vendor.last.request)
    assert seen.audio == [(SOUND.kind, SOUND.data)]


@pytest.mark.parametrize(("client", "mode"), ways("chat", "generate", "responses"))
def test_a_sound_is_refused_where_the_vendor_cannot_listen(sdks, vendor, client, mode):
    refused = genai_errors.ClientError if client == "generate" else openai.BadRequestError
    with pytest.raises(refused) as raised:
        ask(sdks, client, mode, Question("up-messages", media=(SOUND,)))
    assert "audio" in str(raised.value)
    assert not vendor.asked


class Person(pydantic.BaseModel):
    """What a structured answer is to hold."""

    name: str
    age: int
    towns: list[str]


ADA = Person(name="Ada", age=36, towns=["London", "Östersund"])


def openai_parse(sdks, arguments):
    """The chat helper that asks for a type."""
    return sdks.openai.chat.completions.parse(**arguments, response_format=Person).choices[0].message.parsed


def openai_parse_stream(sdks, arguments):
    """The same, streamed."""
    with sdks.openai.chat.completions.stream(**arguments, response_format=Person) as stream:
        return stream.get_final_completion().choices[0].message.parsed


def responses_parse(sdks, arguments):
    """The responses helper that asks for a type."""
    return sdks.openai.responses.parse(**arguments, text_format=Person).output_parsed


def responses_parse_stream(sdks, arguments):
    """The same, streamed."""
    with sdks.openai.responses.stream(**arguments, text_format=Person) as stream:
        return stream.get_final_response().output_parsed


def anthropic_parse(sdks, arguments):
    """The messages helper that asks for a type."""
    return sdks.anthropic.messages.parse(**arguments, output_format=Person).parsed_output


def anthropic_parse_stream(sdks, arguments):
    """The same, streamed."""
    with sdks.anthropic.messages.stream(**arguments, output_format=Person) as stream:
        return stream.get_final_message().parsed_output


def genai_parse(sdks, arguments):
    """A response schema from a type."""
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Person)
    return sdks.genai.models.generate_content(**arguments | {"config": config}).parsed


def genai_parse_stream(sdks, arguments):
    """The same, streamed; this SDK leaves the putting together to us."""
    schema = Person.model_json_schema()
    config = types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=schema)
    chunks = sdks.genai.models.generate_content_stream(**arguments | {"config": config})
    return Person.model_validate_json("".join(chunk.text or "" for chunk in chunks))


PARSERS = {
    openai_parse: openai_chat,
    openai_parse_stream: openai_chat,
    responses_parse: openai_responses,
    responses_parse_stream: openai_responses,
    anthropic_parse: anthropic_messages,
    anthropic_parse_stream: anthropic_messages,
    genai_parse: genai_content,
    genai_parse_stream: genai_content,
}


@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize("parse", PARSERS)
def test_a_structured_answer_becomes_its_type(sdks, vendor, parse, upstream):
    vendor.say(upstream, Answer((Text(ADA.model_dump_json(indent=1)),)))
    client = PARSERS[parse]
    assert parse(sdks, client.request(Question(f"up-{upstream}"))) == ADA
    schema = VENDORS[upstream].schema(vendor.last.request)
    assert schema["type"].lower() == "object"
    assert list(schema["properties"]) == ["name", "age", "towns"]
    assert schema["properties"]["towns"]["items"]["type"].lower() == "string"
    assert sorted(schema["required"]) == ["age", "name", "towns"]


@pytest.mark.parametrize("version", ["v1", "v1beta"])
@pytest.mark.parametrize("mode", genai_content.MODES)
def test_both_versions_of_the_google_path_are_taken(sdks, vendor, mode, version):
    class Versioned:
        genai = genai_client(sdks.url, version)

    vendor.say("messages", Answer((Text("Ja."),)))
    assert ask(Versioned, "generate", mode, Question("up-messages")).text == "Ja."


CUT = Answer((Call("now", '{"zone": "Eur', "call_cut"),), LENGTH)


@pytest.mark.parametrize("upstream", ["chat", "messages", "responses"])
@pytest.mark.parametrize(("client", "mode"), streamed("chat", "messages", "generate", "responses"))
def test_a_call_that_was_cut_off_is_a_length_stop(sdks, vendor, client, mode, upstream):
    """Generate-content vendors send calls whole, so theirs are never cut."""
    vendor.play(stream=VENDORS[upstream].frames(CUT))
    got = ask(sdks, client, mode, Question(f"up-{upstream}"))
    assert got.finish == LENGTH
    assert [(call.id, call.name) for call in got.calls] == [("call_cut", "now")]
    if client in ("chat", "responses"):
        assert got.calls[0].arguments == '{"zone": "Eur'
