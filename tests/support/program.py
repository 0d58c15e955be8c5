"""The program under test in a folder of its own: set up, started, asked to stop.

Whoever needs more than a set-up program with the demo channel builds on it: `gateway.py` puts a
scripted vendor behind it, `tests/nodes` runs several on shared records.
"""

import functools
import json
import os
import pathlib
import subprocess

from loopback import answers, wait_until

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PASSWORD = "correct horse battery"
STOP_PATIENCE_S = 60
GREETING = "Modelgate listens on "


@functools.cache
def binary():
    """The program's path, built now unless `MODELGATE_BINARY` names one."""
    if given := os.environ.get("MODELGATE_BINARY"):
        return pathlib.Path(given).resolve()
    command = ["cargo", "build", "--quiet", "--package", "server", "--bin", "modelgate"]
    messages = [*command, "--message-format", "json"]
    built = subprocess.run(messages, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    made = [json.loads(line).get("executable") for line in built.stdout.splitlines()]
    return pathlib.Path([path for path in made if path][-1])


def clean_environment():
    """The environment without settings of ours that would get into the way."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MODELGATE_")}


class Program:
    """The program on `data` and `log` in a folder. It keeps its port over restarts; what is `inside`
    goes before every command, for places that have to be entered."""

    def __init__(self, folder, settings=None, path=None):
        self.folder = pathlib.Path(folder)
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.path = path or binary()
        self.environment = clean_environment() | (settings or {})
        self.flags, self.inside = [], []
        self.port, self.token, self.process = 0, None, None

    @property
    def url(self):
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def _command(self, *arguments):
        words = [*self.inside, self.path, *arguments, "--data", self.data, *self.flags]
        return [str(word) for word in words]

    def run(self, *arguments, text=""):
        """Runs a command to its end, which must be a good one; gives what it printed."""
        done = subprocess.run(self._command(*arguments), cwd=self.folder, env=self.environment, input=text,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def set_up(self, *flags):
        """Makes root, the demo channel, and the token `first` with what else is asked for."""
        made = self.run("setup", "--password-stdin", "--demo", "--token", "first", *flags, text=PASSWORD + "\n")
        self.token = json.loads(made)["token"]

    def start(self):
        """Serves and waits until it is ready."""
        serve = self._command("serve", "--listen", f"127.0.0.1:{self.port}")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(serve, cwd=self.folder, env=self.environment,
                                            stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            line = self.process.stdout.readline()
            assert line.startswith(GREETING), line + self.log.read_text()
            self.port = int(line.rpartition(":")[2])
            wait_until(self.is_ready, f"{self.url} is ready")
        except BaseException:
            self.kill()
            raise

    def is_ready(self):
        """Whether a load balancer would send calls to it."""
        return answers(f"{self.url}/readyz")

    def stop(self):
        """Asks it to stop, which it must do in order and without ever having panicked."""
        self.process.terminate()
        status = self.process.wait(STOP_PATIENCE_S)
        self.process.stdout.close()
        log = self.log.read_text()
        assert status == 0 and "panicked" not in log, f"it exited with {status}: {log}"

    def kill(self):
        """Ends it, where it still runs, without a chance to do anything."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(STOP_PATIENCE_S)
            self.process.stdout.close()
