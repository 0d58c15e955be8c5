"""The official clients, pointed at one address. They retry nothing."""

import anthropic
import cohere
import openai
from google import genai
from google.genai import types

from gateway import TOKEN

PLAIN = {"api_key": TOKEN, "max_retries": 0}
STRICT = PLAIN | {"_strict_response_validation": True}


def genai_client(url, version=None):
    """A client that speaks this version of the API, or the one that it prefers."""
    once = types.HttpRetryOptions(attempts=1)
    options = types.HttpOptions(base_url=url, api_version=version, retry_options=once)
    return genai.Client(api_key=TOKEN, http_options=options)


class Sdks:
    """One client of each vendor; `checked` ones refuse an answer that breaks their types."""

    def __init__(self, url, checked=True):
        kind = STRICT if checked else PLAIN
        self.openai = openai.OpenAI(base_url=f"{url}/v1", **kind)
        # The vendor's own legacy streams break the SDK's type: a piece has no finish reason yet.
        self.openai_untyped = openai.OpenAI(base_url=f"{url}/v1", **PLAIN)
        self.anthropic = anthropic.Anthropic(base_url=url, **kind)
        self.genai = genai_client(url)
        self.cohere = cohere.ClientV2(api_key=TOKEN, base_url=url)
        self.cohere_v1 = cohere.Client(api_key=TOKEN, base_url=url)
        self.url = url


class AsyncSdks:
    """One asynchronous client of each vendor."""

    def __init__(self, url):
        self.openai = openai.AsyncOpenAI(base_url=f"{url}/v1", **STRICT)
        self.anthropic = anthropic.AsyncAnthropic(base_url=url, **STRICT)
        self.genai = genai_client(url).aio
