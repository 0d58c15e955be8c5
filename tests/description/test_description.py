"""The served OpenAPI document against the service that serves it: schemathesis makes up calls from the
document and looks for failures of the service, undocumented statuses and replies of another shape."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.request

import pytest

from program import PASSWORD, Program

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EXAMPLES = os.environ.get("MODELGATE_SCHEMA_EXAMPLES", "8")

# What would take the caller's own credential away in the middle.
EXCLUDED = {"delete_user_pat_id"}


@pytest.fixture(scope="session")
def gateway(tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("program"))
    program.set_up()
    program.start()
    yield program.url
    program.stop()


def call(url, body, cookie=None):
    headers = {"content-type": "application/json", **({"cookie": cookie} if cookie else {})}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["data"], reply.headers


def access_token(gateway, path, body):
    """Logs in or registers, and makes an access token."""
    _, headers = call(gateway + path, body)
    cookie = headers["set-cookie"].split(";")[0]
    data, _ = call(gateway + "/api/user/pat", {"name": "schemathesis"}, cookie)
    return data["token"]


def model_calls(document):
    """Described, but driven by the vendors' own SDKs (tests/sdk): their formats are not ours to try."""
    for path, methods in document["paths"].items():
        if not path.startswith("/api/"):
            for operation in methods.values():
                yield operation["operationId"]


def operations_without_end(document):
    for methods in document["paths"].values():
        for operation in methods.values():
            content = operation["responses"].get("200", {}).get("content", {})
            if "text/event-stream" in content:
                yield operation["operationId"]


@pytest.mark.parametrize("level", ["nobody", "user", "root"])
def test_the_service_keeps_to_its_document(gateway, level):
    with urllib.request.urlopen(gateway + "/api/openapi.json") as reply:
        document = json.load(reply)
    arguments = []
    if level == "root":
        body = {"username": "root", "password": PASSWORD}
        arguments = ["-H", "Authorization: Bearer " + access_token(gateway, "/api/user/login", body)]
    elif level == "user":
        body = {"username": "una", "password": PASSWORD}
        arguments = ["-H", "Authorization: Bearer " + access_token(gateway, "/api/user/register", body)]
    for name in EXCLUDED.union(operations_without_end(document), model_calls(document)):
        arguments += ["--exclude-operation-id", name]
    finished = subprocess.run(
        [pathlib.Path(sys.executable).with_name("schemathesis"), "run", gateway + "/api/openapi.json",
         "--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "-n", EXAMPLES,
         "--seed", "1", "--request-timeout", "20", "--suppress-health-check", "all",
         "--no-color", *arguments],
        capture_output=True, text=True, check=False,
    )
    assert finished.returncode == 0, finished.stdout[-20000:] + finished.stderr[-4000:]
