"""Failures: before the stream as the SDK's own exception, inside it never as a clean end."""

import anthropic
import openai
import pytest
from google.genai import errors as genai_errors

from answers import Answer, Text
from clients import CLIENTS
from clients.failures import Unfinished
from meaning import Call
from questions import Question
from vendors import VENDORS

WAYS = [(client, mode) for client, module in CLIENTS.items() for mode in module.MODES]
WAY_IDS = ["-".join(way) for way in WAYS]
STREAMED_WAYS = [way for way in WAYS if way[1] in ("iterate", "helper", "chat stream")]
STREAMED_IDS = ["-".join(way) for way in STREAMED_WAYS]

# A vendor's status, and the status that the client sees. What the vendor thinks of the gateway's own
# key is not the client's business.
STATUSES = {400: 400, 401: 502, 403: 502, 404: 404, 413: 413, 429: 429, 500: 502, 503: 503, 529: 503}
BY_STATUS = {400: "BadRequestError", 404: "NotFoundError", 429: "RateLimitError"}


def exception(client, status):
    """The class that this SDK raises for this status."""
    if client == "generate":
        return genai_errors.ClientError if status < 500 else genai_errors.ServerError
    sdk = anthropic if client == "messages" else openai
    if status in BY_STATUS:
        return getattr(sdk, BY_STATUS[status])
    return sdk.InternalServerError if status >= 500 else sdk.APIStatusError


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize(("client", "mode"), WAYS, ids=WAY_IDS)
def test_a_refused_call_raises_the_sdks_own_exception(
    gateway, sdks, vendor, client, mode, upstream, status
):
    vendor.play(VENDORS[upstream].error(status, "Too many dogs."), status=status)
    wanted = STATUSES[status]
    with pytest.raises(exception(client, wanted)) as raised:
        CLIENTS[client].MODES[mode](sdks, Question(gateway.failing_model(upstream)))
    shown = raised.value.code if client == "generate" else raised.value.status_code
    assert shown == wanted
    # Only a failure about the request itself has the vendor's text.
    assert ("Too many dogs." in str(raised.value)) == (status in (400, 413))


@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize(("client", "mode"), WAYS, ids=WAY_IDS)
def test_an_answer_that_is_no_json_is_the_upstreams_fault(gateway, sdks, vendor, client, mode, upstream):
    vendor.play(b"<html>Bad gateway</html>", status=502)
    with pytest.raises(exception(client, 502)):
        CLIENTS[client].MODES[mode](sdks, Question(gateway.failing_model(upstream)))


@pytest.mark.parametrize(("client", "mode"), WAYS, ids=WAY_IDS)
def test_an_unknown_model_is_not_found(sdks, vendor, client, mode):
    with pytest.raises(exception(client, 404)):
        CLIENTS[client].MODES[mode](sdks, Question("no-such-model"))
    assert not vendor.asked


def breaks(upstream):
    """Streams that fail after some words, and some that fail at once: what comes, and what comes late."""
    speaker = VENDORS[upstream]
    frames = speaker.frames(Answer((Text("Half of an answer that goes on"),)))
    begun, failed = b"".join(frames[:6]), speaker.error_frame("Out of dogs.")
    return {
        "error frame": (begun, failed),
        "broken off": (begun, b""),
        "broken inside a frame": (begun, frames[6][: len(frames[6]) // 2]),
        "nonsense": (begun, b"data: {]\n\n"),
        "error at once": (failed, b""),
        "nothing": (b": nothing\n\n", b""),
        "error inside a call": (call_begun(upstream), failed),
    }


def call_begun(upstream):
    """The first frames of a call, with some of its arguments."""
    frames = VENDORS[upstream].frames(Answer((Call("now", {"zone": "Europe/Oslo"}, "call_1"),), "tool"))
    return b"".join(frames[:6] if len(frames) > 6 else frames[:1])


KINDS = list(breaks("chat"))
RAISED = (openai.APIError, anthropic.APIError, genai_errors.APIError, Unfinished)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize(("client", "mode"), STREAMED_WAYS, ids=STREAMED_IDS)
def test_a_stream_that_fails_never_ends_cleanly(gateway, sdks, vendor, client, mode, upstream, kind):
    begun, late = breaks(upstream)[kind]
    vendor.play(stream=[begun], late=late)
    with pytest.raises(RAISED) as raised:
        CLIENTS[client].MODES[mode](sdks, Question(gateway.failing_model(upstream)))
    if client == "responses" and not isinstance(raised.value, openai.APIStatusError):
        # This dialect's last event says it; its SDK does not raise.
        assert isinstance(raised.value, Unfinished)
        assert "failed" in str(raised.value)
    else:
        assert not isinstance(raised.value, (Unfinished, openai.APIConnectionError))
    assert "Out of dogs." not in str(raised.value)
    if kind in ("error at once", "nothing"):
        shown = raised.value.code if client == "generate" else raised.value.status_code
        # Google's errors have a status of their own inside of the stream, which counts.
        is_said = upstream == "generate" and kind == "error at once"
        assert shown == (503 if is_said else 502)
