#!/usr/bin/env python3
"""Fills a set-up database with many users, tokens and calls, always the same ones.

    bench/scale/seed.py --postgres URL --users 100000 --tokens 500000 --calls 10000000
    bench/scale/seed.py --sqlite FILE --users 100000 --tokens 500000 --calls 1000000

The database must be set up (`modelgate setup`) and no server may run on it. Rows are made by the
database itself from their number, so that nothing has to travel; --end fixes the time of the last
call (unix milliseconds), and with it every byte. A few users make most of the calls, as in life.
The ledger balances afterwards. Log and roll-ups agree with each other.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from engines import Postgres, Sqlite
import rows
import sums


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--postgres", metavar="URL")
    where.add_argument("--sqlite", metavar="FILE")
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--tokens", type=int, default=500_000)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2, help="days at once, on PostgreSQL")
    parser.add_argument("--end", type=int, help="when the last call ended; now, if not given")
    return parser.parse_args()


def open_engine(given):
    return Postgres(given.postgres) if given.postgres else Sqlite(given.sqlite)


def main():
    given = arguments()
    engine = open_engine(given)
    end = given.end or int(time.time() * 1000)
    began = time.monotonic()

    def step(engine, name, *statements):
        for statement in statements:
            engine.run(statement)
        print(f"{time.monotonic() - began:7.1f} s  {name}", flush=True)

    def fill(day):
        own = open_engine(given)
        load = rows.Load.of_day(given, day, end)
        step(own, f"calls of day {day + 1}", *rows.calls(own, load))
        is_recent = given.days - day <= 7
        step(own, f"roll-ups of day {day + 1}", *sums.of_day(load, is_recent))
        own.close()

    step(engine, "channels", *rows.channels(engine, end))
    step(engine, "users", *rows.users(engine, given.users, end))
    step(engine, "money", *rows.money(engine, end))
    step(engine, "tokens", *rows.tokens(engine, given.tokens, given.users, end))
    step(engine, "orders, codes, audit", *rows.records(engine, given.users, end))
    # SQLite has one writer.
    with ThreadPoolExecutor(given.jobs if given.postgres else 1) as pool:
        list(pool.map(fill, range(given.days)))
    step(engine, "statistics of the planner", *engine.at_the_end())
    engine.close()


if __name__ == "__main__":
    sys.exit(main())
