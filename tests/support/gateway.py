"""The real server in front of a scripted vendor: builds it, sets it up in a fresh folder, starts it.

One channel for each dialect that an upstream may speak; the model's name chooses it (`up-chat`). The
demo channel serves what is no text. A call that is to fail has a channel of its own (`failing_model`):
what one test breaks rests for a while, and must not rest in the next test.
"""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from vendors import ALL_VENDORS, VENDORS

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "sk-tests0123456789tests0123456789tests0123456789test"
PASSWORD = "a long password for tests"
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
listen = "127.0.0.1:0"
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


def binary():
    """The server's path, built now unless `MODELGATE_BINARY` names one."""
    if given := os.environ.get("MODELGATE_BINARY"):
        return given
    command = ["cargo", "build", "--quiet", "--package", "server", "--bin", "modelgate"]
    messages = [*command, "--message-format", "json"]
    built = subprocess.run(messages, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    made = [json.loads(line).get("executable") for line in built.stdout.splitlines()]
    return [path for path in made if path][-1]


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


class Gateway:
    """A running server in front of one vendor; `failing` channels of each dialect may be broken."""

    def __init__(self, vendor_address, failing=0):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="modelgate-tests-"))
        self.failing = {dialect: itertools.count() for dialect in ALL_VENDORS}
        config = self.folder / "modelgate.toml"
        config.write_text(settings(vendor_address, failing))
        self.complaints = (self.folder / "stderr").open("w+")
        place = ["--config", str(config), "--data", str(self.folder / "data")]
        run = {"cwd": self.folder, "env": clean_environment(), "stderr": self.complaints, "text": True}
        set_up = [binary(), "setup", *place, "--password-stdin", "--demo", "--grant-usd", "1000"]
        subprocess.run(set_up, input=PASSWORD, check=True, stdout=subprocess.PIPE, **run)
        serve = [binary(), "serve", *place]
        self.process = subprocess.Popen(serve, stdout=subprocess.PIPE, **run)
        line = self.process.stdout.readline()
        assert line.startswith("Modelgate listens on "), line + self.read_complaints()
        self.url = line.split()[-1]

    def failing_model(self, dialect):
        """A model of this dialect whose channel no other call uses."""
        return f"fails-{dialect}-{next(self.failing[dialect])}"

    def read_complaints(self):
        """What it wrote to its log."""
        self.complaints.seek(0)
        return self.complaints.read()

    def close(self):
        """Ends it; a panic fails the run."""
        self.process.terminate()
        self.process.wait(timeout=60)
        complaints = self.read_complaints()
        shutil.rmtree(self.folder)
        assert "panicked" not in complaints, complaints
        assert self.process.returncode == 0, complaints


def clean_environment():
    """The environment without settings of ours that would get into the way."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MODELGATE_")}
