"""Starts targets, and measures one of them under one workload."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request

from processes import Process, cores, free_port
from targets import direct


class Bench:
    """The mock, the targets in front of it, and the load generator."""

    def __init__(self, tools, folder):
        self.tools, self.folder, self.cores = tools, folder, cores()
        self.started = []
        self.mock_port = free_port()
        self.direct = direct(self.mock_port)
        command = [tools / "mock", "--listen", f"127.0.0.1:{self.mock_port}"]
        self.direct.process = self.run(command, "mock", "mock")

    def run(self, command, name, where, environment=None):
        log = self.folder / f"{name.replace(' ', '-')}.log"
        process = Process(command, self.cores[where], log, environment)
        self.started.append(process)
        return process

    def start(self, target, workload):
        """Starts a target and waits until it answers; says so where it does not."""
        if target.command:
            target.process = self.run(target.command, target.name, "target", target.environment)
        deadline = time.monotonic() + target.start_seconds
        while True:
            outcome = self.ask(target, workload)
            if outcome is None:
                return True
            if time.monotonic() > deadline or target.process.has_ended():
                print(f"{target.name} does not answer ({outcome}): see {target.process.log}")
                return False
            time.sleep(0.2)

    def ask(self, target, workload):
        """One call; what was wrong with it, if anything."""
        headers = {"content-type": "application/json", **target.headers(workload)}
        if target.tokens_file:
            with open(target.tokens_file) as tokens:
                headers["authorization"] = f"Bearer {tokens.readline().strip()}"
        request = urllib.request.Request(target.url(workload), workload.body(), headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                return None if b"usage" in reply.read() else "an answer without usage"
        except urllib.error.HTTPError as error:
            return f"{error.code}: {error.read()[:200]!r}"
        except OSError as error:
            return str(error)

    def load_command(self, target, workload):
        body = self.folder / f"body-{workload.name.replace(' ', '-')}.json"
        body.write_bytes(workload.body())
        command = [self.tools / "loadgen", "--url", target.url(workload), "--body", body,
                   "--connections", workload.connections]
        for name, value in target.headers(workload).items():
            command += ["--header", f"{name}: {value}"]
        if target.tokens_file:
            command += ["--tokens", target.tokens_file]
        return [str(word) for word in command]

    def load(self, target, workload, *more):
        """Puts it under load; what the load generator said, and the target's time and memory."""
        command = [*self.load_command(target, workload), *(str(word) for word in more)]
        where = self.cores["load"]
        before = target.process.memory_mb()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, where)) as generator:
            generator.stdout.readline()
            cpu = target.process.cpu_seconds()
            said = generator.stdout.readline()
            cpu = target.process.cpu_seconds() - cpu
            memory = target.process.memory_mb()
        if generator.returncode:
            raise SystemExit(f"the load generator failed on {target.name}")
        return json.loads(said), cpu, before, memory

    def measure(self, target, workload, seconds, warm_up):
        """One window, as a flat record."""
        more = ["--seconds", seconds] + (["--hold"] if workload.is_held else ["--warm-up", warm_up])
        said, cpu, before, memory = self.load(target, workload, *more)
        record = {"target": target.name, "workload": workload.name, **said,
                  "memory_mb": memory, "load_average": os.getloadavg()[0]}
        if workload.is_held:
            record["kb_per_stream"] = (memory - before) * 1024 / max(said["streams"], 1)
            record["failed"] = said["ended"]
        else:
            record["per_second"] = said["requests"] / said["seconds"]
            record["cpu_us"] = cpu * 1e6 / max(said["requests"], 1)
            record["busy"] = cpu / said["seconds"]
        if workload.is_stream and said["events"]:
            record["cpu_us_per_event"] = cpu * 1e6 / said["events"]
        return record

    def stop(self):
        for process in reversed(self.started):
            process.stop()
