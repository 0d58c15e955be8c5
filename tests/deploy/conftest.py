"""What tests of deployments stand on: a server that was set up with the demo channel, on a free port."""

import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("MODELGATE_BINARY", ROOT / "target/debug/modelgate"))
PASSWORD = "correct horse battery"


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(url, patience=20):
    """Waits until an address answers with success."""
    end = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def wait_until_gone(port, patience=20):
    """Waits until nobody listens on a port."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        with socket.socket() as caller:
            if caller.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.05)
    raise AssertionError(f"somebody still listens on {port}")


@pytest.fixture
def server(tmp_path):
    """A running server: its port, a token and its data folder."""
    data = tmp_path / "data"
    set_up = [PROGRAM, "setup", "--data", data, "--password-stdin", "--demo", "--token", "first"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MODELGATE_")}
    made = subprocess.run(set_up, input=PASSWORD, capture_output=True, text=True, check=True, env=clean)
    port = free_port()
    serve = [PROGRAM, "serve", "--data", data, "--listen", f"127.0.0.1:{port}"]
    env = clean | {"MODELGATE_SERVER__TRUSTED_PROXIES": "127.0.0.1"}
    with open(tmp_path / "server.log", "wb") as log:
        process = subprocess.Popen(serve, env=env, stdout=log, stderr=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/readyz")
        yield {"port": port, "token": json.loads(made.stdout)["token"], "data": data}
    finally:
        process.terminate()
        assert process.wait(30) == 0, (tmp_path / "server.log").read_text()
