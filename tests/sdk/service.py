"""The whole service with its demo channel, set up in a folder of its own."""

import json
import os
import pathlib
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def binary():
    """The program's path, built now unless `MODELGATE_PROGRAM` names one."""
    if given := os.environ.get("MODELGATE_PROGRAM"):
        return given
    command = ["cargo", "build", "--quiet", "--package", "server", "--bin", "modelgate"]
    messages = [*command, "--message-format", "json"]
    built = subprocess.run(messages, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    made = [json.loads(line).get("executable") for line in built.stdout.splitlines()]
    return [path for path in made if path][-1]


class Service:
    """A running service and a token for it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        program, data = binary(), ["--data", self.folder.name]
        setup = ["setup", *data, "--admin", "root", "--password-stdin", "--demo", "--token", "sdk"]
        done = subprocess.run(
            [program, *setup], input="correct horse battery\n", stdout=subprocess.PIPE, text=True, check=True
        )
        self.token = json.loads(done.stdout)["token"]
        serve = [program, "serve", *data, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Modelgate listens on "), line
        self.url = line.split()[-1]

    def close(self):
        """Stops it in order."""
        self.process.terminate()
        assert self.process.wait(30) == 0
        self.folder.cleanup()
