"""Coding agents without a screen, pointed at a gateway: each has its settings and its words.

An agent gets a home and a workspace of its own and nothing of the environment but the path, so that
neither a person's settings nor their keys reach it.
"""

import json
import os
import pathlib
import subprocess
from dataclasses import dataclass

PROGRAMS = pathlib.Path(__file__).resolve().parent / "node_modules" / ".bin"
PATIENCE_S = 180


@dataclass(frozen=True)
class Place:
    """Where an agent runs and whom it asks."""

    folder: pathlib.Path
    url: str
    token: str
    model: str

    @property
    def home(self):
        """The agent's home."""
        return self.folder / "home"

    @property
    def workspace(self):
        """The project that it works in."""
        return self.folder / "workspace"


class ClaudeCode:
    """Speaks messages."""

    tool = "Read"

    def arguments(self, file):
        """The tool's arguments to read a file."""
        return {"file_path": str(file)}

    def settle(self, place):
        """Needs no file."""

    def environment(self, place):
        """Its settings."""
        quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY")
        switches = {name: "1" for name in (*quiet, "DISABLE_ERROR_REPORTING")}
        return switches | {"ANTHROPIC_BASE_URL": place.url, "ANTHROPIC_AUTH_TOKEN": place.token}

    def command(self, place, prompt):
        """One prompt, one answer on standard output."""
        return ["claude", "-p", prompt, "--model", place.model, "--allowedTools", "Read"]


class Codex:
    """Speaks responses."""

    tool = "exec_command"

    def arguments(self, file):
        """The tool's arguments to read a file."""
        return {"cmd": f"cat {file}"}

    def settle(self, place):
        """Writes its settings."""
        (place.home / "config.toml").write_text(
            f'model = "{place.model}"\nmodel_provider = "gateway"\n'
            '[model_providers.gateway]\nname = "gateway"\nwire_api = "responses"\n'
            f'base_url = "{place.url}/v1"\nenv_key = "GATEWAY_TOKEN"\n'
        )

    def environment(self, place):
        """Where its settings are, and its key."""
        return {"CODEX_HOME": str(place.home), "GATEWAY_TOKEN": place.token}

    def command(self, place, prompt):
        """One prompt. The throw-away folder is sandbox enough for a vendor that only obeys."""
        free = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return ["codex", "exec", *free, prompt]


class GeminiCli:
    """Speaks generate content."""

    tool = "read_file"

    def arguments(self, file):
        """The tool's arguments to read a file."""
        return {"file_path": str(file)}

    def settle(self, place):
        """Writes its settings."""
        folder = place.home / ".gemini"
        folder.mkdir()
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        }
        (folder / "settings.json").write_text(json.dumps(settings))

    def environment(self, place):
        """Whom it asks, with which key."""
        who = {"GOOGLE_GEMINI_BASE_URL": place.url, "GEMINI_API_KEY": place.token}
        return who | {"GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def command(self, place, prompt):
        """One prompt, one answer on standard output."""
        return ["gemini", "-m", place.model, "-p", prompt]


AGENTS = {"claude-code": ClaudeCode(), "codex": Codex(), "gemini-cli": GeminiCli()}


def run(agent, place, prompt):
    """Runs an agent on one prompt and gives what it printed."""
    place.home.mkdir(parents=True)
    agent.settle(place)
    name, *rest = agent.command(place, prompt)
    done = subprocess.run(
        [PROGRAMS / name, *rest],
        cwd=place.workspace,
        env={"PATH": os.environ["PATH"], "HOME": str(place.home), **agent.environment(place)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout
