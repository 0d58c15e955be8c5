"""Modelgate as a target, with everything on: authentication, limits, reservation, settlement, the
request log and metrics."""

import json
import os
import subprocess
from dataclasses import dataclass

import seeding
from processes import free_port
from targets import TOKEN, UPSTREAM_KEY, Target
from workloads import MODELS

PASSWORD = "correct horse battery"
# High enough never to be reached, so that counting is all that the limits do.
LIMIT = 1_000_000_000

CONFIG = """[server]
listen = "127.0.0.1:{port}"
workers = 1
[outbound]
allow_private = ["127.0.0.0/8"]
[limits]
rpm = {limit}
tpm = {limit}
concurrency = {limit}
[billing]
durability = "{durability}"
[[tokens]]
name = "bench"
key = "{token}"
"""

CHANNEL = """[[channels]]
name = "{name}"
type = "openai"
base_url = "http://127.0.0.1:{mock}{switches}/v1"
key = "{key}"
models = ["{model}"]
dialects = ["chat"]
"""

PRICE = """[[prices]]
model = "{model}"
input = "0.15"
output = "0.60"
"""


@dataclass(frozen=True)
class Variant:
    """One way to run Modelgate."""

    durability: str
    store: str = "sqlite"
    tokens: int = 1
    channels: int = 1
    # Of the tokens so many call, and of the channels so many serve the model; the others are only there.
    in_use: int = 1_000

    @property
    def name(self):
        parts = ["modelgate", self.durability, self.store]
        parts += [f"{self.tokens} tokens"] if self.tokens > 1 else []
        parts += [f"{self.channels} channels"] if self.channels > 1 else []
        parts += [f"{self.in_use} in use"] if self.tokens > 1 or self.channels > 1 else []
        return " ".join(parts)


def config(variant, port, mock_port):
    """Two channels share the calls that fail; the ordinary model has as many as the variant says."""
    parts = [CONFIG.format(port=port, limit=LIMIT, durability=variant.durability, token=TOKEN)]
    for model, switches in MODELS.items():
        count = 2 if "errors" in switches else variant.channels if not switches else 1
        for number in range(count):
            served = model if number < variant.in_use else f"{model}-{number}"
            parts.append(CHANNEL.format(name=f"{model} {number}", mock=mock_port, model=served,
                                        switches=switches, key=UPSTREAM_KEY))
        parts.append(PRICE.format(model=model))
    return "".join(parts)


def services(variant, number):
    """The environment that leads to a database of this variant's own, and to Redis."""
    if variant.store == "sqlite":
        return {}
    server, name = os.environ["MODELGATE_TEST_POSTGRES"], f"bench_{os.getpid()}_{number}"
    subprocess.run(["psql", server, "-qXc", f"CREATE DATABASE {name}"], check=True)
    return {"MODELGATE_DATABASE__URL": f"{server.rpartition('/')[0]}/{name}",
            "MODELGATE_REDIS__URL": os.environ["MODELGATE_TEST_REDIS"],
            "MODELGATE_REDIS__PREFIX": name}


def target(program, variant, number, folder, mock_port):
    """Sets one up in a folder of its own."""
    home = folder / f"modelgate-{number}"
    home.mkdir()
    port, environment = free_port(), services(variant, number)
    file = home / "modelgate.toml"
    file.write_text(config(variant, port, mock_port))
    places = ["--data", str(home / "data"), "--config", str(file)]
    made = subprocess.run(
        [program, "setup", "--password-stdin", "--demo", "--grant-usd", "1000000", *places],
        input=PASSWORD + "\n", env={**os.environ, **environment}, text=True, capture_output=True)
    if made.returncode:
        raise SystemExit(f"modelgate setup failed: {made.stderr}")
    tokens_file = ""
    if variant.tokens > 1:
        user = json.loads(made.stdout)["user_id"]
        url = environment.get("MODELGATE_DATABASE__URL")
        tokens_file = seeding.tokens(home, user, variant, url)
    return Target(variant.name, port, [program, "serve", *places], environment, converts=True,
                  tokens_file=tokens_file)
