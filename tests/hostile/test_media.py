"""Audio files that claim to be shorter than they are, and forms that programs read differently."""

import io
import struct
import threading
import wave
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from client import Session, request
from gateway import TOKEN, Gateway
from loopback import wait_until

PATH = "/v1/audio/transcriptions"
CHANNEL = """
[[channels]]
name = "audio"
type = "openai"
base_url = "http://{address}/v1"
key = "vendor-key-0123456789"
models = ["hears"]
[[prices]]
model = "hears"
per_second = "0.01"
"""


class AudioVendor:
    """A vendor that reads forms and says nothing about their length."""

    def __init__(self):
        self.bodies = bodies = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = b""
                if length := self.headers.get("content-length"):
                    body = self.rfile.read(int(length))
                else:
                    while size := int(self.rfile.readline() or b"0", 16):
                        body += self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                bodies.append(body)
                answer = b'{"text":"hello"}'
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                """Stays silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture(scope="module")
def audio_vendor():
    """The vendor of this file."""
    vendor = AudioVendor()
    yield vendor
    vendor.server.shutdown()
    vendor.server.server_close()


@pytest.fixture(scope="module")
def audio(audio_vendor):
    """A gateway in front of it, in which a second costs a cent."""
    gateway = Gateway(audio_vendor.address, 0, CHANNEL.format(address=audio_vendor.address))
    gateway.session = Session(gateway.port)
    yield gateway
    gateway.close()


def part(name, value, *, quoted=None, filename=None, extra=""):
    """A part of a form."""
    names = f"name={quoted}" if quoted is not None else f'name="{name}"'
    if filename is not None:
        names += f'; filename="{filename}"'
    value = value if isinstance(value, bytes) else value.encode()
    return f"--X\r\nContent-Disposition: form-data; {names}\r\n{extra}\r\n".encode() + value + b"\r\n"


def send(gateway, *parts, boundary="X"):
    """Sends a form."""
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": f"multipart/form-data; boundary={boundary}"}
    return request(gateway.port, "POST", PATH, b"".join(parts) + b"--X--\r\n", headers)


def seconds(gateway, file):
    """The seconds for which a file is charged."""
    response = send(gateway, part("model", "hears"), part("file", file, filename="a"))
    assert response.status == 200, response.body
    path, found = f"/api/log/{response.headers['x-request-id']}", []

    def is_there():
        found.append(gateway.session.send("GET", path))
        return found[-1].status == 200

    wait_until(is_there, "the call is in the log")
    # A cent for each second.
    return round(float(found[-1].json()["data"]["charge_usd"]) * 100)


def wav(length_s, *, claimed_bytes=None, bytes_per_second=None):
    """A recording of silence, perhaps with a forged head."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(bytes(8000 * length_s))
    data = bytearray(out.getvalue())
    if claimed_bytes is not None:
        data[40:44] = struct.pack("<I", claimed_bytes)
    if bytes_per_second is not None:
        data[28:32] = struct.pack("<I", bytes_per_second)
    return bytes(data)


def crc8(data):
    """The checksum of a head of a FLAC frame."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = ((crc << 1) ^ (0x07 if crc & 0x80 else 0)) & 0xFF
    return crc


def flac(length_s, claimed_s):
    """Silence of 16,000 samples a second, in frames of 4,096 samples that take eleven bytes."""
    samples, frames = claimed_s * 16_000, -(-length_s * 16_000 // 4096)
    info = struct.pack(">HH", 4096, 4096) + bytes(6) + struct.pack(">Q", 16_000 << 44 | 15 << 36 | samples) + bytes(16)
    data = b"fLaC\x80\x00\x00\x22" + info
    for number in range(frames):
        head = b"\xff\xf8\xc5\x08" + chr(number).encode()
        data += head + bytes([crc8(head)]) + b"\0\0\0\0\0\0"
    return data + bytes(16)


def box(kind, *content):
    """A box of MP4."""
    return struct.pack(">I", 8 + sum(map(len, content))) + kind + b"".join(content)


def mp4(length_s, claimed_s):
    """Packets of AAC with 1,024 of 16,000 samples a second; the heads claim something else."""
    packets = -(-length_s * 16_000 // 1024)
    head = bytes(12) + struct.pack(">II", 1000, claimed_s * 1000)
    esds = box(b"esds", b"\0\0\0\0\x03\x19\0\0\0\x04\x11\x40\x15" + bytes(11) + b"\x05\x02\x14\x08")
    entry = box(b"mp4a", bytes(6) + b"\0\1" + bytes(8) + b"\0\2\0\x10\0\0\0\0\xbb\x80\0\0", esds)
    tables = box(b"stbl", box(b"stsd", struct.pack(">II", 0, 1), entry),
                 box(b"stts", struct.pack(">IIII", 0, 1, packets, 1)),
                 box(b"stsz", struct.pack(">III", 0, 6, packets)))
    media = box(b"mdia", box(b"mdhd", head), box(b"hdlr", bytes(8) + b"soun" + bytes(4)), box(b"minf", tables))
    track = box(b"trak", box(b"tkhd", bytes(12) + b"\0\0\0\1" + bytes(68)), media)
    return box(b"ftyp", b"M4A \0\0\0\0") + box(b"mdat", bytes(6 * packets)) + box(b"moov", box(b"mvhd", head), track)


@pytest.mark.parametrize("file", [
    wav(300),
    wav(300, claimed_bytes=8000),
    wav(300, bytes_per_second=2_400_000),
    wav(300, claimed_bytes=8000, bytes_per_second=2_400_000),
    flac(300, 300),
    flac(300, 1),
    flac(300, 0),
    mp4(300, 300),
    mp4(300, 1),
], ids=["wav", "wav size", "wav rate", "wav both", "flac", "flac claim", "flac no claim", "mp4", "mp4 claim"])
def test_audio_is_charged_by_what_it_contains(audio, file):
    assert 300 <= seconds(audio, file) <= 301


def test_large_audio_is_charged_by_what_it_contains(audio):
    assert 300 <= seconds(audio, wav(300, claimed_bytes=8000, bytes_per_second=1 << 30)) <= 301
    # Larger than what is held in memory before the call is sent on.
    assert 600 <= seconds(audio, wav(600, claimed_bytes=8000, bytes_per_second=1 << 30)) <= 601


MODEL, FILE = part("model", "hears"), part("file", wav(1), filename="a.wav")
REJECTED = {
    "second file": [MODEL, FILE, FILE],
    "second file under another name": [MODEL, FILE, part("other", wav(1), filename="b.wav")],
    "list of files": [MODEL, part("file[]", wav(1), filename="a.wav"), part("file[]", wav(1), filename="b.wav")],
    "model as a file": [part("model", "hears", filename="m"), MODEL, FILE],
    "second model": [MODEL, part("model", "other"), FILE],
    "second model behind the file": [MODEL, FILE, part("model", "other")],
    "second format": [MODEL, part("response_format", "json"), part("response_format", "text"), FILE],
    "repeated parameter": [part("", "hears", quoted='"model"; name="other"'), FILE],
    "name that does not end": [MODEL, part("", "x", quoted='"prompt'), FILE],
    "percent escape": [MODEL, part("", "other", quoted='"mod%65l"'), FILE],
    "backslash": [MODEL, part("", "other", quoted='"mod\\el"'), FILE],
    "extended name": [MODEL, part("", "other", quoted="\"prompt\"; name*=utf-8''model"), FILE],
    "continued name": [MODEL, part("", "other", quoted='"prompt"; name*0="mo"; name*1="del"'), FILE],
    "two dispositions": [MODEL, part("prompt", "x", extra='Content-Disposition: form-data; name="model"\r\n'), FILE],
    "encoded text": [MODEL, part("prompt", "aGk=", extra="Content-Transfer-Encoding: base64\r\n"), FILE],
    "folded head": [MODEL, b'--X\r\nContent-Disposition: form-data;\r\n name="prompt"\r\n\r\nx\r\n', FILE],
    "not UTF-8": [MODEL, part("prompt", b"\xff\xfe"), FILE],
}


@pytest.mark.parametrize("name", REJECTED)
def test_form_with_two_meanings_is_rejected(audio, audio_vendor, name):
    audio_vendor.bodies.clear()
    response = send(audio, *REJECTED[name])
    assert response.status == 400 and response.error()["type"] == "invalid_request_error", response.body
    assert not audio_vendor.bodies


@pytest.mark.parametrize("boundary", ["X; boundary=Y", '"X', '"X"Y', ""])
def test_boundary_with_two_meanings_is_rejected(audio, boundary):
    assert send(audio, MODEL, FILE, boundary=boundary).status == 400


@pytest.mark.parametrize("quoted", ['"prompt"', "prompt", '"prompt"; filename*=utf-8\'\'x'])
def test_names_are_read_as_browsers_write_them(audio, quoted):
    field = part("", "x", quoted=quoted) if "filename" not in quoted else b""
    file = part("", wav(1), quoted='"file"; filename="a \\"b\\"%22.wav"')
    assert send(audio, part("", "hears", quoted="model"), field, file).status == 200


def test_file_cannot_contain_parts_for_a_careless_vendor(audio, audio_vendor):
    audio_vendor.bodies.clear()
    hidden = b'\n--X\r\nContent-Disposition: form-data; name="model"\r\n\r\nother\r\n--X--\r\n'.replace(b"\r\n--X--", b"\n--X--")
    assert send(audio, MODEL, part("file", wav(1) + hidden, filename="a.wav")).status == 200
    boundary = audio_vendor.bodies[0].split(b"\r\n")[0]
    assert boundary != b"--X" and audio_vendor.bodies[0].count(boundary) == 3
