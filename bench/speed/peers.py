"""Two gateways to compare with, installed from their packages into .cache/bench when asked for."""

import subprocess
import sys
from dataclasses import dataclass

from places import PEERS
from processes import free_port
from targets import TOKEN, UPSTREAM_KEY, Target
from workloads import MODELS

# Portkey's own lock file pins these; with newer ones its streams fail.
PORTKEY_PACKAGES = ["@portkey-ai/gateway", "hono@4.9.7", "@hono/node-server@1.13.5",
                    "@hono/node-ws@1.2.0"]


def litellm_program():
    folder = PEERS / "litellm"
    program = folder / "bin" / "litellm"
    if not program.exists():
        print("Installing LiteLLM", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", "litellm[proxy]"], check=True)
    return program


def portkey_program():
    folder = PEERS / "portkey"
    program = folder / "node_modules" / "@portkey-ai" / "gateway" / "build" / "start-server.js"
    if not program.exists():
        print("Installing Portkey", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"name": "peers", "private": true}\n')
        subprocess.run(["npm", "install", "--silent", *PORTKEY_PACKAGES], cwd=folder, check=True)
    return program


def litellm(folder, mock_port):
    """One worker, its own key check on, no database."""
    lines = ["model_list:"]
    for model, switches in MODELS.items():
        lines += [f"  - model_name: {model}", "    litellm_params:",
                  f"      model: openai/{model}",
                  f"      api_base: http://127.0.0.1:{mock_port}{switches}/v1",
                  f"      api_key: {UPSTREAM_KEY}"]
    lines += ["general_settings:", f"  master_key: {TOKEN}", "litellm_settings:",
              "  telemetry: false", "  drop_params: true"]
    config, port = folder / "litellm.yaml", free_port()
    config.write_text("\n".join(lines) + "\n")
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR",
                   "LITELLM_MODE": "PRODUCTION", "NO_DOCS": "True", "DISABLE_ADMIN_UI": "True",
                   "LITELLM_USE_CHAT_COMPLETIONS_URL_FOR_ANTHROPIC_MESSAGES": "True"}
    command = [litellm_program(), "--config", config, "--host", "127.0.0.1", "--port", port,
               "--num_workers", "1"]
    return Target("litellm", port, command, environment, converts=True, start_seconds=180)


@dataclass
class Portkey(Target):
    """Is told by headers where its upstream is."""

    mock_port: int = 0

    def headers(self, workload):
        upstream = f"http://127.0.0.1:{self.mock_port}{workload.switches}/v1"
        return {**super().headers(workload), "x-portkey-provider": "openai",
                "x-portkey-custom-host": upstream}


def portkey(mock_port):
    port = free_port()
    environment = {"NODE_ENV": "production", "TRUSTED_CUSTOM_HOSTS": "127.0.0.1,localhost"}
    command = ["node", portkey_program(), "--headless", f"--port={port}"]
    return Portkey("portkey", port, command, environment, mock_port=mock_port)
