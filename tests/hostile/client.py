"""HTTP clients of the hostile tests: plain requests, raw bytes on a socket, and a session of an administrator."""

import http.client
import json
import socket

from gateway import TOKEN
from program import PASSWORD

TIMEOUT_S = 30
PATHS = {
    "chat": "/v1/chat/completions",
    "completions": "/v1/completions",
    "messages": "/v1/messages",
    "responses": "/v1/responses",
    "generate": "/v1beta/models/{model}:generateContent",
}


class Response:
    """A complete HTTP response."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        """The body as JSON."""
        return json.loads(self.body)

    def error(self):
        """The error object of any dialect."""
        return self.json()["error"]


def request(port, method, path, body=None, headers=None):
    """Sends one request. A dict or list becomes JSON; bytes are sent as they are."""
    headers = dict(headers or {})
    if isinstance(body, (dict, list)):
        body = json.dumps(body).encode()
        headers.setdefault("content-type", "application/json")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Response(response.status, response.headers, response.read())
    finally:
        connection.close()


def call(port, dialect, body, token=TOKEN, headers=None, model=None):
    """Sends a model call in a dialect."""
    model = model or (body.get("model") if isinstance(body, dict) else None) or f"up-{dialect}"
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json", **(headers or {})}
    if dialect == "messages":
        headers.setdefault("anthropic-version", "2023-06-01")
    return request(port, "POST", PATHS[dialect].format(model=model), body, headers)


def send_raw(port, data, timeout_s=TIMEOUT_S):
    """Sends raw bytes and returns everything the server sends until it closes the connection."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as connection:
        connection.sendall(data)
        while chunk := connection.recv(65536):
            received += chunk
    return received


class Session:
    """A login session at the management interface."""

    def __init__(self, port, username="root", password=PASSWORD):
        self.port, self.cookie = port, ""
        response = self.send("POST", "/api/user/login", {"username": username, "password": password})
        assert response.status == 200, response.body
        self.cookie = response.headers["set-cookie"].split(";")[0]
        self.user = response.json()["data"]

    def send(self, method, path, body=None, headers=None):
        """Sends one request with the session cookie."""
        return request(self.port, method, path, body, {"cookie": self.cookie, **(headers or {})})

    def data(self, method, path, body=None):
        """Sends a request that must succeed and returns its `data`."""
        response = self.send(method, path, body)
        assert response.status == 200, (method, path, response.status, response.body)
        return response.json()["data"]
