"""The two engines: how each makes numbered rows, and what makes loading fast on it."""

import sqlite3
import subprocess
from datetime import datetime, timezone

DAY_MS = 86_400_000


class Postgres:
    """Through one `psql` that stays open."""

    is_postgres = True

    def __init__(self, url):
        command = ["psql", url, "-qX", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null"]
        pipe = subprocess.PIPE
        self.psql = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        listed = ["psql", url, "-qXAtc", "SELECT relname FROM pg_class WHERE relkind = 'r'"]
        self.tables = set(subprocess.check_output(listed, text=True).split())
        for setting in ["synchronous_commit = off", "maintenance_work_mem = '512MB'",
                        "work_mem = '256MB'"]:
            self.run(f"SET {setting}")

    def run(self, statement):
        self.psql.stdin.write(statement + ";\n\\echo done\n")
        self.psql.stdin.flush()
        if not self.psql.stdout.readline():
            raise SystemExit("psql failed")

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()

    def numbers(self, first, count):
        return f"generate_series({first}::bigint, {first + count - 1}::bigint) AS numbers(i)"

    def bytes_of(self, text):
        return f"convert_to({text}, 'UTF8')"

    def of_day(self, table, start, fill):
        """Fills the partition of a day; a new one gets its indexes when it is attached, filled."""
        date = datetime.fromtimestamp(start / 1000, timezone.utc).strftime("%Y%m%d")
        name = f"{table}_{date}"
        if name in self.tables:
            return [fill(name)]
        bounds = f"FROM ({start}) TO ({start + DAY_MS})"
        return [
            f"CREATE TABLE {name} (LIKE {table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
            fill(name),
            f"ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES {bounds}",
        ]

    def at_the_end(self):
        for table in ["users", "tokens", "channels"]:
            sequence = f"pg_get_serial_sequence('{table}', 'id')"
            yield f"SELECT setval({sequence}, max(id)) FROM {table}"
        yield "VACUUM ANALYZE"


class Sqlite:
    """Through Python's own module, in transactions of one statement."""

    is_postgres = False

    def __init__(self, path):
        self.connection = sqlite3.connect(path, isolation_level=None)
        for pragma in ["journal_mode = WAL", "synchronous = OFF", "cache_size = -500000"]:
            self.connection.execute(f"PRAGMA {pragma}").fetchall()

    def run(self, statement):
        self.connection.execute(statement).fetchall()

    def close(self):
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self.connection.close()

    def numbers(self, first, count):
        last = first + count - 1
        return (
            f"(WITH RECURSIVE numbers(i) AS (SELECT {first} UNION ALL "
            f"SELECT i + 1 FROM numbers WHERE i < {last}) SELECT i FROM numbers) AS numbers"
        )

    def bytes_of(self, text):
        return f"CAST({text} AS BLOB)"

    def of_day(self, table, _start, fill):
        return [fill(table)]

    def at_the_end(self):
        yield "ANALYZE"
