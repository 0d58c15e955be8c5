"""Files of the operator that other users can change, tokens for metrics, and mail to private networks."""

import os
import socket
import subprocess
import threading

import pytest

from client import Session, request
from program import PASSWORD, Program



@pytest.fixture
def program(tmp_path):
    """A program that is set up and does not run yet."""
    tmp_path.chmod(0o700)
    program = Program(tmp_path)
    program.set_up()
    yield program
    program.kill()


def start(program, *flags):
    """Tries to serve. Returns the exit status and the error."""
    command = [program.path, "serve", "--listen", "127.0.0.1:0", "--data", program.data, *flags]
    done = subprocess.run([str(word) for word in command], env=program.environment, capture_output=True,
                          text=True, timeout=30, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("name", "mode", "command"), [
    (".", 0o757, "chmod o-w"),
    (".", 0o1777, "chmod o-w"),
    ("modelgate.db", 0o666, "chmod o-w"),
    ("master.key", 0o620, "chmod 600"),
    ("master.key", 0o602, "chmod o-w"),
])
def test_files_that_others_can_change_are_refused(program, name, mode, command):
    path = (program.data / name).resolve()
    path.chmod(mode)
    status, error = start(program)
    assert status == 5, error
    assert f"{command} {path}" in error and len(error.splitlines()) == 1, error
    done = subprocess.run(error.partition("run: ")[2], shell=True, check=False)
    assert done.returncode == 0
    program.start()
    program.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_data_folder_of_another_user_is_refused(program):
    os.chown(program.data, 65534, -1)
    status, error = start(program)
    assert status == 5 and f"chown 0 {program.data}" in error, error


def test_tls_key_that_others_can_change_is_refused(program):
    certificate, key = program.folder / "tls.pem", program.folder / "tls.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", "/CN=gate.example", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    key.chmod(0o660)
    program.environment |= {"MODELGATE_SERVER__TLS_CERT": str(certificate), "MODELGATE_SERVER__TLS_KEY": str(key)}
    status, error = start(program)
    assert status == 4 and f"chmod go-w {key}" in error, error


def test_metrics_token_and_listed_networks(program):
    token = "0123456789abcdef0123"
    program.environment |= {"MODELGATE_TELEMETRY__METRICS_TOKEN": token}
    program.start()

    def status(**headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return request(program.port, "GET", "/metrics", headers=headers).status

    assert status() == 403
    assert status(authorization=f"Bearer {token}x") == 403
    assert status(authorization=f"Bearer {token}") == 200
    program.stop()
    program.environment |= {"MODELGATE_TELEMETRY__METRICS_ALLOW": "127.0.0.0/8"}
    program.start()
    assert status() == 200
    # Every client of a proxy on this machine has this address.
    assert status(x_forwarded_for="203.0.113.7") == 403
    program.stop()


def test_mail_server_in_a_private_network_needs_the_operators_permission(program):
    connected = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        connection, _ = listener.accept()
        connected.set()
        connection.close()

    threading.Thread(target=accept, daemon=True).start()
    settings = {"HOST": "localhost", "PORT": str(listener.getsockname()[1]), "SECURITY": "none"}
    program.environment |= {f"MODELGATE_MAIL__{name}": value for name, value in settings.items()}
    mail = {"email": "someone@example.org"}
    program.start()
    response = request(program.port, "POST", "/api/user/verification", mail)
    assert response.status == 503 and not connected.is_set(), response.body
    assert "[mail] allow_private" in program.log.read_text()
    program.stop()
    program.environment |= {"MODELGATE_MAIL__ALLOW_PRIVATE": "127.0.0.1"}
    program.start()
    request(program.port, "POST", "/api/user/verification", mail)
    assert connected.wait(20)
    program.stop()
    listener.close()


def test_channel_behind_a_proxy_asks_it_for_the_checked_address(program):
    asked = []
    listener = socket.create_server(("127.0.0.1", 0))

    def proxy():
        while True:
            connection, _ = listener.accept()
            asked.append(connection.recv(4096).split(b"\r\n")[0])
            connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            connection.close()

    threading.Thread(target=proxy, daemon=True).start()
    program.environment |= {"MODELGATE_OUTBOUND__ALLOW_PRIVATE": "127.0.0.1", "MODELGATE_BILLING__UNPRICED": "free"}
    program.start()
    root = Session(program.port, "root", PASSWORD)

    def test(host):
        root.send("POST", "/api/channel/", {
            "name": host, "type": "openai", "base_url": f"http://{host}:9/v1", "keys": ["k" * 20], "models": [host],
            "proxy": f"http://127.0.0.1:{listener.getsockname()[1]}"})
        body = {"model": host, "messages": [{"role": "user", "content": "x"}], "max_tokens": 1}
        return request(program.port, "POST", "/v1/chat/completions", body,
                       {"authorization": f"Bearer {program.token}", "content-type": "application/json"})

    assert test("localhost").status >= 400
    assert asked and set(asked) == {b"CONNECT 127.0.0.1:9 HTTP/1.1"}, asked
    asked.clear()
    # Resolves to 10.0.0.1 with a public resolver and to nothing without one: neither is asked for.
    assert test("10.0.0.1").status >= 400
    assert test("10.0.0.1.nip.io").status >= 400
    assert not asked, "the proxy is asked for no address that is not allowed"
    program.stop()
    listener.close()
