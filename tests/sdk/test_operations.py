"""The vendors' SDKs understand every operation of the running service beside text."""

import asyncio
import base64
import io
import wave

import cohere
import openai
import pytest
from google import genai

from program import Program

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The service of this module: one of its tests breaks the demo channel for a while."""
    service = Program(tmp_path_factory.mktemp("service"))
    service.set_up()
    service.start()
    yield service
    service.stop()


@pytest.fixture(scope="module")
def client(service):
    """The SDK that most operations belong to."""
    return openai.OpenAI(api_key=service.token, base_url=service.url + "/v1", max_retries=0)


@pytest.fixture(scope="module")
def recording(client):
    """Something to write down."""
    return client.audio.speech.create(model="demo-speech", voice="alloy", input="Hello there").read()


def test_vectors(client, service):
    answer = client.embeddings.create(model="demo-embedding", input=["a fox", "a whale"])
    assert [len(item.embedding) for item in answer.data] == [256, 256]
    assert answer.usage.prompt_tokens == 4
    google = genai.Client(api_key=service.token, http_options={"base_url": service.url})
    embedded = google.models.embed_content(model="demo-embedding", contents=["a fox", "a whale"])
    assert len(embedded.embeddings[1].values) == 256


def test_ranks(service):
    client = cohere.ClientV2(api_key=service.token, base_url=service.url)
    documents = ["a whale", "the red fox", "fox"]
    answer = client.rerank(model="demo-rerank", query="red fox", documents=documents, top_n=2)
    assert [result.index for result in answer.results] == [1, 2]
    assert answer.meta.billed_units.search_units == 1


def test_verdicts(client):
    answer = client.moderations.create(model="demo-moderation", input=["I kill you", "good morning"])
    assert [result.flagged for result in answer.results] == [True, False]


def test_images(client):
    asked = {"model": "demo-image", "prompt": "a fox", "size": "64x64"}
    image = base64.b64decode(client.images.generate(**asked).data[0].b64_json)
    assert image.startswith(PNG)
    events = list(client.images.generate(**asked, stream=True, partial_images=1))
    assert [event.type for event in events] == ["image_generation.partial_image", "image_generation.completed"]
    file = ("fox.png", image, "image/png")
    for images in (file, [file, file]):
        assert client.images.edit(**asked, image=images).data[0].b64_json


def test_transcripts(client, recording):
    file = ("talk.wav", recording, "audio/wav")
    for format in ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"]:
        answer = client.audio.transcriptions.create(model="demo-transcribe", file=file, response_format=format)
        assert "talk.wav" in (answer if isinstance(answer, str) else answer.text)
    events = list(client.audio.transcriptions.create(model="demo-transcribe", file=file, stream=True))
    assert "".join(event.delta for event in events[:-1]) == events[-1].text
    assert "translated" in client.audio.translations.create(model="demo-transcribe", file=file).text


def test_speech(client, recording):
    assert wave.open(io.BytesIO(recording)).getnframes() == 11 * 960
    asked = {"model": "demo-speech", "voice": "alloy", "input": "Hello", "response_format": "pcm"}
    with client.audio.speech.with_streaming_response.create(**asked) as answer:
        assert sum(len(piece) for piece in answer.iter_bytes()) == 5 * 960 * 2


def test_a_conversation(service):
    async def converse():
        client = openai.AsyncOpenAI(api_key=service.token, base_url=service.url + "/v1")
        async with client.realtime.connect(model="demo-realtime") as talk:
            await talk.session.update(session={"type": "realtime", "output_modalities": ["text"]})
            said = {"type": "input_text", "text": "Say hi"}
            await talk.conversation.item.create(item={"type": "message", "role": "user", "content": [said]})
            await talk.response.create()
            text = ""
            async for event in talk:
                if event.type == "response.output_text.delta":
                    text += event.delta
                if event.type == "response.done":
                    return text, event.response

    text, response = asyncio.run(converse())
    assert text == "You said: Say hi"
    assert response.status == "completed" and response.usage.total_tokens > 0


def test_failures_are_understood(client):
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="nobody", input="x")
    with pytest.raises(openai.BadRequestError) as refused:
        client.images.generate(model="demo-image", prompt="x", n=99)
    assert refused.value.param == "n"
    switched = {"x-modelgate-demo": "status=429, retry_after=1"}
    with pytest.raises(openai.RateLimitError):
        client.moderations.create(model="demo-moderation", input="x", extra_headers=switched)
