"""The program in front of a scripted vendor, in a fresh folder.

One channel for each dialect that an upstream may speak; the model's name chooses it (`up-chat`). The
demo channel serves what is no text. A call that is to fail has a channel of its own (`failing_model`):
what one test breaks rests for a while, and must not rest in the next test.
"""

import itertools
import json
import shutil
import tempfile

from program import Program
from vendors import ALL_VENDORS, VENDORS

TOKEN = "sk-tests0123456789tests0123456789tests0123456789test"
PROVIDERS = {
    "chat": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "generate": "google",
    "converse": "bedrock",
}
FAILING = 256

SETTINGS = """
[server]
workers = 2
[outbound]
allow_private = ["127.0.0.0/8"]
[billing]
unpriced = "free"
[log]
level = "warn"
format = "text"
[[tokens]]
name = "tests"
key = "{token}"
"""
CHANNEL = """
[[channels]]
name = "{name}"
type = "{provider}"
base_url = "{base_url}"
key = "vendor-key-0123456789"
models = {models}
"""


def channel(name, dialect, vendor_address, models):
    """A channel's declaration."""
    provider = PROVIDERS[dialect]
    base_url = f"http://{vendor_address}" + ("/v1" if provider == "openai" else "")
    text = CHANNEL.format(name=name, provider=provider, base_url=base_url, models=json.dumps(models))
    return text + (f'dialects = ["{dialect}"]\n' if dialect in VENDORS else "")


def settings(vendor_address, failing):
    """The whole file."""
    parts = [SETTINGS.format(token=TOKEN)]
    for dialect in ALL_VENDORS:
        parts.append(channel(f"up-{dialect}", dialect, vendor_address, [f"up-{dialect}"]))
        for number in range(failing):
            name = f"fails-{dialect}-{number}"
            parts.append(channel(name, dialect, vendor_address, [name]))
    return "".join(parts)


class Gateway(Program):
    """A running program in front of one vendor; `failing` channels of each dialect may be broken."""

    def __init__(self, vendor_address, failing=0, extra=""):
        """`extra` is appended to the configuration file."""
        super().__init__(tempfile.mkdtemp(prefix="modelgate-tests-"))
        self.failing = {dialect: itertools.count() for dialect in ALL_VENDORS}
        config = self.folder / "modelgate.toml"
        config.write_text(settings(vendor_address, failing) + extra)
        self.flags = ["--config", config]
        self.set_up("--grant-usd", "1000")
        self.start()

    def failing_model(self, dialect):
        """A model of this dialect whose channel no other call uses."""
        return f"fails-{dialect}-{next(self.failing[dialect])}"

    def close(self):
        """Ends it and removes what it wrote."""
        self.stop()
        shutil.rmtree(self.folder)
