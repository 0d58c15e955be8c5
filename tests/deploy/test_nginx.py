"""nginx with the documented configuration in front of a real server: streams come unbuffered, WebSockets pass,
and the log has the client's address."""

import http.client
import json
import re
import shutil
import socket
import subprocess
import time

import pytest

from loopback import answers, free_port, wait_until
from program import PASSWORD, REPOSITORY

pytestmark = pytest.mark.skipif(not shutil.which("nginx"), reason="there is no nginx")


@pytest.fixture
def proxy(server, tmp_path):
    """nginx's port; only addresses and the certificate differ from the documented file."""
    port = free_port()
    text = (REPOSITORY / "deploy/nginx.conf").read_text()
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = text.replace("server 127.0.0.1:3000", f"server 127.0.0.1:{server.port}")
    text = re.sub(r"\n *ssl_certificate.*", "", text)
    (tmp_path / "site.conf").write_text(text)
    whole = f"""
daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off; client_body_temp_path {tmp_path}/body; proxy_temp_path {tmp_path}/proxy;
  fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u; scgi_temp_path {tmp_path}/s;
  include {tmp_path}/site.conf;
}}
"""
    (tmp_path / "nginx.conf").write_text(whole)
    tmp_path.chmod(0o755)
    process = subprocess.Popen(["nginx", "-e", tmp_path / "error.log", "-c", tmp_path / "nginx.conf"])
    try:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/readyz"), "nginx passes calls on")
        yield port
    finally:
        process.terminate()
        process.wait(20)


def connect(port, client="127.0.0.2"):
    """A connection from another address than nginx's own."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(client, 0))


def test_a_stream_comes_piece_by_piece_and_the_log_has_the_clients_address(server, proxy):
    """Ten words at 100 ms: the first must be there long before the last."""
    connection = connect(proxy)
    words = " ".join(f"word{number}" for number in range(10))
    body = {"model": "demo-chat", "stream": True, "messages": [{"role": "user", "content": words}]}
    headers = {"authorization": f"Bearer {server.token}", "content-type": "application/json",
               "x-modelgate-demo": "pace=100", "x-forwarded-for": "203.0.113.9"}
    begun = time.monotonic()
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    reply = connection.getresponse()
    assert reply.status == 200
    reply.read1(65536)
    first = time.monotonic() - begun
    reply.read()
    whole = time.monotonic() - begun
    assert whole > 0.8 and first < whole / 2, f"first piece after {first:.2f} s of {whole:.2f} s"

    login = {"username": "root", "password": PASSWORD}
    connection.request("POST", "/api/user/login", json.dumps(login), {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    cookie = answer.headers["set-cookie"].split(";")[0]
    row, until = None, time.monotonic() + 20
    while not row and time.monotonic() < until:  # calls gather for a moment before they are in the log
        connection.request("GET", f"/api/log/{reply.headers['x-request-id']}", headers={"cookie": cookie})
        row = json.load(connection.getresponse())["data"]
    assert row["ip"] == "127.0.0.2"


def test_a_websocket_passes(server, proxy):
    """The upgrade of a realtime conversation."""
    with socket.create_connection(("127.0.0.1", proxy), 20) as connection:
        connection.sendall(
            b"GET /v1/realtime?model=demo-realtime HTTP/1.1\r\nHost: ai.example\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            b"Authorization: Bearer " + server.token.encode() + b"\r\n\r\n"
        )
        head = b""
        while b"session.created" not in head:
            piece = connection.recv(4096)
            assert piece, head
            head += piece
    assert head.startswith(b"HTTP/1.1 101"), head


def test_a_large_body_passes(server, proxy):
    """Five megabytes are more than nginx's own default takes."""
    connection = connect(proxy)
    body = {"model": "demo-chat", "messages": [{"role": "user", "content": "x" * 5_000_000}], "max_tokens": 5}
    headers = {"authorization": f"Bearer {server.token}", "content-type": "application/json"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    reply = connection.getresponse()
    assert reply.status == 200, reply.read()[:300]
