"""The dialects behind a socket: builds and starts the crate's `gateway` example."""

import json
import os
import pathlib
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def binary():
    """The example's path, built now unless `MODELGATE_GATEWAY_EXAMPLE` names one."""
    if given := os.environ.get("MODELGATE_GATEWAY_EXAMPLE"):
        return given
    command = ["cargo", "build", "--quiet", "--package", "dialects", "--example", "gateway"]
    messages = [*command, "--message-format", "json"]
    built = subprocess.run(messages, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    made = [json.loads(line).get("executable") for line in built.stdout.splitlines()]
    return [path for path in made if path][-1]


class Gateway:
    """A running example in front of one vendor."""

    def __init__(self, vendor_address):
        command = [binary(), "127.0.0.1:0", vendor_address]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        assert line.startswith("listening on "), line
        self.url = "http://" + line.split()[-1]

    def close(self):
        """Ends it; whatever it complained of fails the run."""
        self.process.terminate()
        _, complaints = self.process.communicate()
        assert "panicked" not in complaints, complaints
