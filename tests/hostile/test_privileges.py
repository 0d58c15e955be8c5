"""Privileges: what takes a fresh proof of the person, what access tokens may do, and who can lock out whom."""

import contextlib
import http.client
import http.server
import json
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import urllib.parse

import pytest

from client import Session, request
from program import PASSWORD, Program

SECRET = "a long password of ann"
SETTINGS = """
[outbound]
allow_private = ["127.0.0.0/8"]
[mail]
host = "127.0.0.1"
[[oauth]]
name = "idp"
client_id = "gate"
client_secret = "hush"
authorization_url = "{idp}/authorize"
token_url = "{idp}/token"
userinfo_url = "{idp}/user"
subject_field = "id"
username_field = "login"
email_field = "email"
email_verified_field = "email_verified"
link_by_email = true
"""


class Provider(http.server.ThreadingHTTPServer):
    """An identity provider that says of everybody what `profile` holds."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ProviderHandler)
        self.profile = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"


class ProviderHandler(http.server.BaseHTTPRequestHandler):
    """Answers as a provider does: with an access token, and with the person's profile."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer({"access_token": "of-the-provider", "token_type": "bearer"})

    def do_GET(self):
        self.answer(self.server.profile)

    def answer(self, document):
        """Sends a document."""
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing is printed."""


@pytest.fixture(scope="module")
def provider():
    """The identity provider of these tests."""
    provider = Provider()
    yield provider
    provider.shutdown()
    provider.server_close()


@pytest.fixture(scope="module")
def program(provider):
    """A gateway of these tests alone, behind a proxy on this machine."""
    folder = tempfile.mkdtemp(prefix="modelgate-privileges-")
    program = Program(folder, {
        "MODELGATE_PAYMENTS__SANDBOX__ENABLED": "true",
        "MODELGATE_SERVER__TRUSTED_PROXIES": "127.0.0.0/8",
        "MODELGATE_LOG__LEVEL": "warn",
    })
    config = program.folder / "modelgate.toml"
    config.write_text(SETTINGS.format(idp=provider.url))
    program.flags = ["--config", config]
    program.set_up()
    program.start()
    yield program
    program.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def root(program):
    """A fresh session of root."""
    return Session(program.port)


def records(program, *statements):
    """Changes the records behind the gateway's back, as the passing of time would."""
    with contextlib.closing(sqlite3.connect(program.data / "modelgate.db", timeout=20)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def stale(program):
    """A session of root whose login was eleven minutes ago."""
    session = Session(program.port)
    now = "CAST(strftime('%s', 'now') AS INTEGER) * 1000"
    records(program, f"UPDATE sessions SET proved_at = {now} - 660000 WHERE id = (SELECT max(id) FROM sessions)")
    return session


def access_token(session, scopes=None, **more):
    """Makes an access token; the headers that it is sent with."""
    body = {"name": "tests", **more} | ({"scopes": scopes} if scopes else {})
    return {"authorization": f"Bearer {session.data('POST', '/api/user/pat', body)['token']}"}


def refusal(response):
    """Status and code of a refusal."""
    return response.status, response.json()["code"]


def make_user(root, name):
    """A user with a password."""
    return root.data("POST", "/api/user/", {"username": name, "password": SECRET})["id"]


def log_in(port, name, password, network, cookie=""):
    """A login from a network, through the proxy."""
    body = {"username": name, "password": password}
    return request(port, "POST", "/api/user/login", body, {"x-forwarded-for": network, "cookie": cookie})


SENSITIVE = [
    ("POST", "/api/user/", {"username": "eve", "password": SECRET, "role": 10}),
    ("POST", "/api/user/", {"username": "eve", "password": SECRET, "role": 100}),
    ("PUT", "/api/user/", {"id": 1, "password": "another long password"}),
    ("POST", "/api/user/manage", {"id": 1, "action": "reset_2fa"}),
    ("PUT", "/api/option/", {"values": {"server.public_url": "https://evil.example"}}),
    ("PUT", "/api/option/", {"values": {"mail.host": "evil.example"}}),
    ("PUT", "/api/option/", {"values": {"payments.stripe.webhook_secret": "whsec_x"}}),
    ("POST", "/api/user/pat", {"name": "for ever"}),
    ("POST", "/api/user/2fa/setup", {}),
    ("POST", "/api/user/passkey/register/begin", {}),
    ("POST", "/api/system/backup", {}),
    ("POST", "/api/import/?kind=one-api", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), SENSITIVE)
def test_a_stolen_session_cannot_extend_itself(stale, root, method, path, body):
    assert refusal(stale.send(method, path, body)) == (403, "step_up_required")
    token = access_token(root)
    response = request(root.port, method, path, body, token)
    assert refusal(response) == (403, "session_required")


def test_a_promotion_takes_a_step_up_and_a_confirmation_is_one(stale, root):
    user = make_user(root, "promoted")
    promotion = {"id": user, "role": 10}
    assert refusal(stale.send("PUT", "/api/user/", promotion)) == (403, "step_up_required")
    assert refusal(stale.send("POST", "/api/verify", {"password": "a guess"})) == (403, "password_wrong")
    assert stale.send("PUT", "/api/user/", promotion).status == 403
    stale.data("POST", "/api/verify", {"password": PASSWORD})
    assert stale.data("PUT", "/api/user/", promotion)["role"] == 10


def test_plain_users_are_managed_without_one(stale):
    make_user(stale, "plain")


CASES = [
    ("read", "GET", "/api/user/self", None),
    ("write", "PUT", "/api/user/self", {"display_name": "me"}),
    ("billing", "POST", "/api/redemption/redeem", {"code": "none"}),
    ("billing", "POST", "/api/topup/", {"amount": "5", "provider": "sandbox"}),
]


@pytest.mark.parametrize(("scope", "method", "path", "body"), CASES)
def test_a_token_does_what_its_scope_says(root, scope, method, path, body):
    others = [one for one in ("read", "write", "billing") if one != scope]
    denied = request(root.port, method, path, body, access_token(root, others))
    assert refusal(denied) == (403, "insufficient_scope")
    allowed = request(root.port, method, path, body, access_token(root, [scope]))
    assert allowed.status == 200 or allowed.json()["code"] != "insufficient_scope"


def test_a_balance_takes_the_scope_billing_beside_write(root):
    user = make_user(root, "paid")
    for body in ({"id": user, "quota": 500}, {"id": user, "display_name": "x", "quota": 500}):
        denied = request(root.port, "PUT", "/api/user/", body, access_token(root, ["read", "write"]))
        assert refusal(denied) == (403, "insufficient_scope")
    allowed = request(root.port, "PUT", "/api/user/", {"id": user, "quota": 500}, access_token(root, ["write", "billing"]))
    assert allowed.status == 200


def test_every_token_expires(program, root):
    listed = root.data("GET", "/api/user/pat")
    assert listed and all(token["expires_at"] for token in listed)
    for end in ("2199-01-01T00:00:00Z", 1):
        assert root.send("POST", "/api/user/pat", {"name": "x", "expires_at": end}).status == 400
    token = access_token(root)
    assert request(root.port, "GET", "/api/user/self", None, token).status == 200
    records(program, "UPDATE personal_access_tokens SET expires_at = 1 WHERE id = (SELECT max(id) FROM personal_access_tokens)")
    assert request(root.port, "GET", "/api/user/self", None, token).status == 401


@pytest.mark.parametrize("ending", ["deleted", "expired", "logged out"])
def test_a_live_log_ends_with_its_credential(program, root, ending):
    if ending == "logged out":
        session = Session(program.port)
        headers = {"cookie": session.cookie}
    else:
        headers = access_token(root, ["read"])
    connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=10)
    connection.request("GET", "/api/log/stream?scope=all", headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    ended = threading.Event()

    def follow():
        response.read()
        ended.set()

    threading.Thread(target=follow, daemon=True).start()
    newest = "(SELECT max(id) FROM personal_access_tokens)"
    if ending == "deleted":
        tokens = root.data("GET", "/api/user/pat")
        root.data("DELETE", f"/api/user/pat/{tokens[0]['id']}")
    elif ending == "expired":
        records(program, f"UPDATE personal_access_tokens SET expires_at = 1 WHERE id = {newest}")
    else:
        session.data("POST", "/api/user/logout", {})
    assert ended.wait(4), f"it goes on after it was {ending}"
    connection.close()


def test_strangers_do_not_lock_out_the_owner(program, root):
    make_user(root, "owner")
    known = log_in(program.port, "owner", SECRET, "203.0.113.1")
    cookies = known.headers.get_all("set-cookie")
    device = next(line.split(";")[0] for line in cookies if line.startswith("device-"))
    assert any("HttpOnly" in line for line in cookies if line.startswith(device))
    for _ in range(5):
        assert log_in(program.port, "owner", "a guess", "198.51.100.7").status == 401
    assert log_in(program.port, "owner", SECRET, "198.51.100.7").status == 429, "its own network"
    assert log_in(program.port, "owner", SECRET, "198.51.100.7", device).status == 200, "the known device there"
    assert log_in(program.port, "owner", SECRET, "192.0.2.55").status == 200, "another network"
    forged = device[:-1] + ("A" if device[-1] != "A" else "B")
    assert log_in(program.port, "owner", SECRET, "198.51.100.7", forged).status == 429


def test_wrong_set_up_codes_lock_their_sender_alone():
    folder = tempfile.mkdtemp(prefix="modelgate-unclaimed-")
    program = Program(folder)
    command = program._command("serve", "--listen", "127.0.0.1:0")
    with started(program, command) as code:
        body = {"username": "boss", "password": PASSWORD}
        codes = [request(program.port, "POST", "/api/setup", {**body, "code": f"guess-{number}"}).status for number in range(8)]
        assert codes[:5] == [403] * 5 and set(codes[5:]) == {429}
        assert request(program.port, "POST", "/api/setup", {**body, "code": code}).status == 200
    shutil.rmtree(folder)


@contextlib.contextmanager
def started(program, command):
    """A gateway that waits for its set-up; the code that it prints."""
    with open(program.log, "ab") as log:
        program.process = subprocess.Popen(command, cwd=program.folder, env=program.environment,
                                           stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        program.port = int(program.process.stdout.readline().rpartition(":")[2])
        yield re.search(r"setup\?code=(\w+)", program.process.stdout.readline())[1]
        program.stop()
    finally:
        program.kill()


def test_the_host_header_leads_nobody_away(program, root):
    order = {"amount": "5", "provider": "sandbox"}
    for host in ("evil.example", f"evil.example:{program.port}", f"127.0.0.1:{program.port + 1}"):
        response = root.send("POST", "/api/topup/", order, {"host": host})
        assert response.status == 503 and response.json()["code"] == "public_url_missing"
        assert "server.public_url" in response.json()["message"]
    forwarded = {"x-forwarded-host": "evil.example", "x-forwarded-proto": "https"}
    assert root.send("POST", "/api/topup/", order, forwarded).status == 503
    made = root.data("POST", "/api/topup/", order)
    assert made["checkout_url"].startswith(program.url + "/")


def log_in_through(program, provider, **profile):
    """A login through the provider; where the browser ends up, and whose account it is in."""
    provider.profile = {"id": 1, "login": "mona", **profile}
    left = request(program.port, "GET", "/api/oauth/idp")
    query = urllib.parse.parse_qs(urllib.parse.urlparse(left.headers["location"]).query)
    assert query["redirect_uri"] == [f"{program.url}/api/oauth/idp/callback"]
    journey = left.headers["set-cookie"].split(";")[0]
    path = f"/api/oauth/idp/callback?code=abc&state={query['state'][0]}"
    back = request(program.port, "GET", path, headers={"cookie": journey})
    place, cookies = back.headers["location"], back.headers.get_all("set-cookie")
    session = next((line.split(";")[0] for line in cookies if line.startswith("session=")), None)
    if session is None:
        return place, None
    return place, request(program.port, "GET", "/api/user/self", headers={"cookie": session}).json()["data"]["id"]


def test_a_redirect_of_a_login_is_not_the_senders_choice(program):
    response = request(program.port, "GET", "/api/oauth/idp", headers={"host": "evil.example"})
    assert refusal(response) == (503, "public_url_missing")


def test_an_account_is_linked_by_a_verified_address_alone(program, provider, root):
    body = {"username": "victim", "password": SECRET, "email": "victim@example.org"}
    victim = root.data("POST", "/api/user/", body)["id"]
    for number, verified in enumerate([{}, {"email_verified": False}, {"email_verified": "true"}, {"email_verified": 1}]):
        _, user = log_in_through(program, provider, id=100 + number, email="victim@example.org", **verified)
        assert user != victim, verified
    _, user = log_in_through(program, provider, id=200, email="victim@example.org", email_verified=True)
    assert user == victim


def test_domains_of_addresses_are_checked_at_every_login(program, provider, root):
    for name, email in [("inside", "inside@example.org"), ("outside", "outside@elsewhere.example"), ("nowhere", None)]:
        root.data("POST", "/api/user/", {"username": name, "password": SECRET, "email": email})
    member = {"id": 300, "email": "member@example.org", "email_verified": True}
    assert log_in_through(program, provider, **member)[0] == "/console"
    root.data("PUT", "/api/option/", {"values": {"registration.email_domains": ["example.org"]}})
    try:
        assert log_in(program.port, "inside", SECRET, "203.0.113.5").status == 200
        for name in ("outside", "nowhere"):
            assert refusal(log_in(program.port, name, SECRET, "203.0.113.5")) == (403, "email_domain")
        assert log_in_through(program, provider, **member)[0] == "/console"
        moved = {**member, "email": "member@elsewhere.example"}
        assert log_in_through(program, provider, **moved) == ("/login?error=email_domain", None)
        new = {"id": 301, "email": "new@elsewhere.example", "email_verified": True}
        assert log_in_through(program, provider, **new) == ("/login?error=no_account", None)
        assert log_in(program.port, "root", PASSWORD, "203.0.113.5").status == 200
    finally:
        root.data("PUT", "/api/option/", {"values": {"registration.email_domains": None}})
