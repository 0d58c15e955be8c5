"""A PostgreSQL and a Redis of one run, to be stopped and started while nodes use them."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

from loopback import PATIENCE_S, free_port, wait_until


def newest_postgres():
    """Where PostgreSQL's programs are: the newest of Debian's layout, else on the path."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    return found[-1] if found else pathlib.Path(shutil.which("initdb")).parent


class Postgres:
    """One PostgreSQL server; its data is safe against its own crashes, not against those of the machine."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.programs = newest_postgres()
        self.process = None
        # PostgreSQL refuses to run as root.
        self.as_user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"]
        if os.getuid() != 0:
            self.as_user = []
        else:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-D", "data", "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
        self.start()

    @property
    def url(self):
        """The address of its one database."""
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def _command(self, program, *arguments):
        return [*self.as_user, str(self.programs / program), *arguments]

    def _run(self, program, *arguments):
        command = self._command(program, *arguments)
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self):
        """Starts it and waits until it answers."""
        options = ["listen_addresses=127.0.0.1", "max_connections=200", "shared_buffers=64MB",
                   "synchronous_commit=on", "fsync=off"]
        settings = [word for option in options for word in ("-c", option)]
        command = self._command("postgres", "-D", "data", "-p", str(self.port), "-k", str(self.folder), *settings)
        with open(self.folder / "postgres.log", "ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        ready = self._command("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port))
        wait_until(lambda: subprocess.run(ready, cwd=self.folder, check=False).returncode == 0, "PostgreSQL answers")

    def stop(self):
        """Stops it as a crash would: connections are cut."""
        self.process.send_signal(3)
        self.process.wait(PATIENCE_S)
        self.process = None

    def ask(self, question):
        """The rows of a question, as lists of text."""
        out = self._run("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-qAtc", question)
        return [line.split("|") for line in out.splitlines()]


class Redis:
    """One Redis server that keeps nothing on disk."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.program = shutil.which("redis-server") or shutil.which("valkey-server")
        self.process = None
        self.start()

    @property
    def url(self):
        """Its address."""
        return f"redis://127.0.0.1:{self.port}"

    def _answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def start(self):
        """Starts it and waits until it answers."""
        command = [self.program, "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder),
                   "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._answers, "Redis answers")

    def stop(self):
        """Ends it at once; all that it knew is gone."""
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self.process = None


class Services:
    """Both, in a folder of their own."""

    def __init__(self):
        # /tmp and not TMPDIR: a unix socket's path may have 107 bytes, and the user postgres must get in.
        self.folder = tempfile.mkdtemp(prefix="mgn", dir="/tmp")
        os.chmod(self.folder, 0o755)
        places = [pathlib.Path(self.folder, name) for name in ("postgres", "redis")]
        for place in places:
            place.mkdir()
        self.postgres = Postgres(places[0])
        self.redis = Redis(places[1])

    def close(self):
        """Ends both and removes what they wrote."""
        for service in (self.postgres, self.redis):
            if service.process:
                service.stop()
        shutil.rmtree(self.folder)
