"""Many tokens in a set-up database, with secrets that the load generator knows.

They are hashed as the server does it (crates/server/src/secrets/token_hash.rs). Calls use some of them,
from all over the table: those are what a server remembers in its steady state.
"""

import base64
import hashlib
import hmac
import sqlite3
import subprocess
import time

FIRST = 1_000
COLUMNS = "id, user_id, name, prefix, secret_hash, created_at"


def secret(number):
    return f"sk-bench-token-{number:012d}"


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def rows(key, user, count):
    now = int(time.time() * 1000)
    for number in range(count):
        token = secret(number)
        yield FIRST + number, user, f"seeded {number}", token[:11], digest(key, token), now


def into_sqlite(file, made):
    connection = sqlite3.connect(file)
    connection.executemany(f"INSERT INTO tokens ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", made)
    connection.commit()
    connection.close()


def into_postgres(url, made):
    command = ["psql", url, "-qXc", f"COPY tokens ({COLUMNS}) FROM STDIN"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as psql:
        for identity, user, name, prefix, hashed, now in made:
            psql.stdin.write(f"{identity}\t{user}\t{name}\t{prefix}\t\\\\x{hashed.hex()}\t{now}\n")
        psql.stdin.close()
    if psql.returncode:
        raise SystemExit("psql could not load the tokens")


def tokens(home, user, variant, postgres_url):
    """Seeds as many as the variant has; a file with those that calls are to use."""
    lines = (home / "data" / "master.key").read_text().splitlines()
    master = next(line for line in lines if line and not line.startswith("#"))
    made = rows(digest(base64.b64decode(master), "token"), user, variant.tokens)
    if postgres_url:
        into_postgres(postgres_url, made)
    else:
        into_sqlite(home / "data" / "modelgate.db", made)
    file = home / "tokens"
    step = max(1, variant.tokens // variant.in_use)
    file.write_text("".join(f"{secret(number)}\n" for number in range(0, variant.tokens, step)))
    return str(file)
