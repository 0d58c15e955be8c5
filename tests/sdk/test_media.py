"""What is no text, through the demo channel: vectors, ranks, images, sound, verdicts, realtime.

The SDKs' types are not checked here: they do not know their own vendor's base64 vectors."""

import array
import base64
import io

import pytest

DOCUMENTS = ["Cats sleep all day.", "A tin boat floats.", "Boats need oars."]


def test_vectors_come_as_numbers_and_as_base64(untyped):
    texts = ["a tin boat", "two oars"]
    plain = untyped.openai.embeddings.create(model="demo-embedding", input=texts, encoding_format="float")
    packed = untyped.openai.embeddings.create(model="demo-embedding", input=texts, encoding_format="base64")
    numbers = array.array("f", base64.b64decode(packed.data[1].embedding))
    assert list(numbers) == pytest.approx(plain.data[1].embedding, abs=1e-6)
    assert plain.usage.prompt_tokens == packed.usage.prompt_tokens > 0


def test_tokens_may_be_embedded(untyped):
    answer = untyped.openai.embeddings.create(model="demo-embedding", input=[[1, 2, 3], [4]])
    assert [item.index for item in answer.data] == [0, 1]


def test_a_vector_in_the_words_of_generate_content(untyped):
    answer = untyped.genai.models.embed_content(model="demo-embedding", contents=["a tin boat", "two oars"])
    assert len(answer.embeddings) == 2 and answer.embeddings[0].values


def test_the_cohere_client_ranks_by_both_versions(untyped):
    newer = untyped.cohere.rerank(model="demo-rerank", query="boats", documents=DOCUMENTS, top_n=2)
    older = untyped.cohere_v1.rerank(model="demo-rerank", query="boats", documents=DOCUMENTS, top_n=2)
    for answer in (newer, older):
        assert len(answer.results) == 2
        assert answer.results[0].relevance_score >= answer.results[1].relevance_score
        assert all(result.index < len(DOCUMENTS) for result in answer.results)
    assert [one.index for one in newer.results] == [one.index for one in older.results]


def test_an_image_is_drawn_and_changed(untyped):
    drawn = untyped.openai.images.generate(model="demo-image", prompt="A boat", size="1024x1024")
    picture = base64.b64decode(drawn.data[0].b64_json)
    assert picture.startswith(b"\x89PNG")
    file = ("boat.png", picture, "image/png")
    changed = untyped.openai.images.edit(model="demo-image", image=file, prompt="Paint it red")
    assert base64.b64decode(changed.data[0].b64_json).startswith(b"\x89PNG")


def speech(untyped, kind="wav"):
    """Some spoken words."""
    asked = {"model": "demo-speech", "voice": "alloy", "input": "Hello there", "response_format": kind}
    return untyped.openai.audio.speech.create(**asked).read()


def test_speech_comes_whole_and_piece_by_piece(untyped):
    whole = speech(untyped)
    assert whole.startswith(b"RIFF")
    asked = {"model": "demo-speech", "voice": "alloy", "input": "Hello there", "response_format": "wav"}
    with untyped.openai.audio.speech.with_streaming_response.create(**asked) as streamed:
        assert b"".join(streamed.iter_bytes()) == whole


@pytest.mark.parametrize("kind", ["json", "text", "srt", "vtt", "verbose_json"])
def test_a_transcript_comes_in_every_format(untyped, kind):
    file = ("hello.wav", io.BytesIO(speech(untyped)), "audio/wav")
    heard = untyped.openai.audio.transcriptions.create(model="demo-transcribe", file=file, response_format=kind)
    assert heard if isinstance(heard, str) else heard.text


def test_a_transcript_is_streamed(untyped):
    file = ("hello.wav", io.BytesIO(speech(untyped)), "audio/wav")
    events = list(untyped.openai.audio.transcriptions.create(model="demo-transcribe", file=file, stream=True))
    pieces = "".join(event.delta for event in events if event.type == "transcript.text.delta")
    assert events[-1].type == "transcript.text.done" and events[-1].text == pieces


def test_a_translation(untyped):
    file = ("hello.wav", io.BytesIO(speech(untyped)), "audio/wav")
    assert untyped.openai.audio.translations.create(model="demo-transcribe", file=file).text


def test_a_verdict(untyped):
    answer = untyped.openai.moderations.create(model="demo-moderation", input="A kind word.")
    assert answer.results[0].flagged is False


def test_the_list_of_models_in_each_sdks_shape(untyped):
    assert "up-chat" in [model.id for model in untyped.openai.models.list()]
    assert "up-chat" in [model.id for model in untyped.anthropic.models.list(limit=3)]
    assert "models/up-chat" in [model.name for model in untyped.genai.models.list()]
    assert untyped.openai.models.retrieve("demo-chat").id == "demo-chat"


def test_tokens_are_counted_for_every_client(untyped):
    messages = [{"role": "user", "content": "How long is this?"}]
    assert untyped.anthropic.messages.count_tokens(model="demo-chat", messages=messages).input_tokens > 0
    assert untyped.genai.models.count_tokens(model="demo-chat", contents="How long is this?").total_tokens > 0


def test_a_realtime_conversation(untyped):
    client = untyped.openai.with_options(websocket_base_url=untyped.url.replace("http", "ws", 1) + "/v1")
    with client.realtime.connect(model="demo-realtime") as realtime:
        assert realtime.recv().type == "session.created"
        realtime.session.update(session={"type": "realtime", "output_modalities": ["text"]})
        content = [{"type": "input_text", "text": "Hello"}]
        realtime.conversation.item.create(item={"type": "message", "role": "user", "content": content})
        realtime.response.create()
        text = ""
        for event in realtime:
            assert event.type != "error", event
            if event.type == "response.output_text.delta":
                text += event.delta
            if event.type == "response.done":
                break
    assert text and event.response.status == "completed" and event.response.usage.total_tokens > 0
