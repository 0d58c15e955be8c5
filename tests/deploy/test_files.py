"""Files of deployments that cannot be run everywhere: they can be read, say what they must, and the program
works under the restrictions that they impose."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

from loopback import is_free, wait_until
from program import REPOSITORY, Program, binary

DEPLOY = REPOSITORY / "deploy"
GRACE_S = 30
LEASE_S = 30


def rendered(name, values, release="gate"):
    """A template of the chart, rendered. Templates use values, `quote` and `sha256sum`, and no logic."""
    chart = yaml.safe_load((DEPLOY / "chart/Chart.yaml").read_text())

    def value(match):
        path, *filters = [part.strip() for part in match[1].split("|")]
        if path == ".Release.Name":
            found = release
        elif path == ".Chart.AppVersion":
            found = chart["appVersion"]
        else:
            found = values
            for step in path.removeprefix(".Values.").split("."):
                found = found[step]
        for name in filters:
            found = {"quote": lambda text: json.dumps(str(text)),
                     "sha256sum": lambda text: hashlib.sha256(text.encode()).hexdigest()}[name](found)
        return str(found)

    text = (DEPLOY / "chart/templates" / name).read_text()
    return yaml.safe_load(re.sub(r"\{\{ (.*?) \}\}", value, text))


@pytest.fixture
def values():
    return yaml.safe_load((DEPLOY / "chart/values.yaml").read_text())


def test_every_template_of_the_chart_renders_to_an_object(values):
    names = sorted(path.name for path in (DEPLOY / "chart/templates").iterdir())
    kinds = {name: rendered(name, values)["kind"] for name in names}
    assert sorted(kinds.values()) == ["ConfigMap", "PodDisruptionBudget", "Service", "StatefulSet"]


def test_nodes_of_the_chart_have_no_rights_and_time_to_finish(values):
    pod = rendered("nodes.yaml", values)["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["terminationGracePeriodSeconds"] > GRACE_S
    probe = container["readinessProbe"]
    assert probe["httpGet"]["path"] == "/readyz"
    # An outage of PostgreSQL that calls live through must not take all nodes away.
    assert probe["periodSeconds"] * probe["failureThreshold"] >= LEASE_S
    settings = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert settings == {"/data", "/etc/modelgate"}
    tomllib.loads(rendered("settings.yaml", values)["data"]["modelgate.toml"])


def test_settings_that_the_files_name_exist():
    defaults = tomllib.loads((REPOSITORY / "modelgate.default.toml").read_text().replace("\n# ", "\n#"))
    known = (REPOSITORY / "docs/configuration.md").read_text()
    texts = [path.read_text() for path in DEPLOY.rglob("*") if path.is_file()]
    names = {name for text in texts for name in re.findall(r"MODELGATE_([A-Z]+)__([A-Z_]+)\b", text)}
    assert names and defaults
    for section, key in names:
        assert f"`{key.lower()}`" in known, f"{section}.{key}"


def test_the_compose_file_keeps_nodes_without_rights_and_gives_them_time():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    nodes = [service for name, service in compose["services"].items() if name.startswith("node-")]
    assert len(nodes) == 2
    for node in nodes:
        assert node["read_only"] is True and node["cap_drop"] == ["ALL"]
        assert int(node["stop_grace_period"].removesuffix("s")) > GRACE_S
        assert (DEPLOY / node["build"]["context"] / node["build"]["dockerfile"]).exists()


def test_the_container_file_copies_what_is_there_and_ends_without_rights():
    text = (DEPLOY / "Containerfile").read_text()
    last = text.rsplit("\nFROM ", 1)[1]
    assert "\nUSER modelgate\n" in last and "\nVOLUME /data\n" in last
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.M):
        for source in line.split()[:-1]:
            assert (REPOSITORY / source).exists(), source


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_the_unit_is_valid_and_little_exposed(tmp_path):
    unit = tmp_path / "modelgate.service"
    unit.write_text((DEPLOY / "modelgate.service").read_text().replace("/usr/local/bin/modelgate", "/bin/true"))
    checked = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and not checked.stderr, checked.stderr
    rated = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
                           capture_output=True, text=True, check=False)
    level = re.search(r"exposure level for .*: ([0-9.]+)", rated.stdout)
    assert float(level[1]) < 2, rated.stdout


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("unshare"), reason="needs to give up rights")
def test_the_program_serves_without_rights_on_a_read_only_root(tmp_path):
    """As the unit, the container and the chart run it: another user, no capability, only its folder writable."""
    program = Program(tmp_path, path=tmp_path / "modelgate")
    shutil.copy(binary(), program.path)
    program.path.chmod(0o755)
    program.data.mkdir(mode=0o700)
    shutil.chown(program.data, 10001, 10001)
    for folder in [tmp_path, *tmp_path.parents]:
        if folder != pathlib.Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    # Who becomes another user forgets to end with its parent, unless it is told again.
    rights = ["setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups", "--no-new-privs",
              "--bounding-set=-all", "--inh-caps=-all", "--pdeathsig", "KILL"]
    jail = (f"set -e; mount --bind {program.data} {program.data}; mount -o remount,bind,ro /; cd {program.data}; "
            "if touch /x 2>/dev/null; then echo writable >&2; exit 9; fi; exec \"$@\"")
    program.inside = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", jail, "sh", *rights]
    program.environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    program.set_up()
    try:
        program.start()
        assert (program.data / "modelgate.db").stat().st_uid == 10001
    finally:
        program.kill()
        wait_until(lambda: is_free(program.port), "nobody listens any more")
