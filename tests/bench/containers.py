"""Every attack and every case of the sandbox on Podman, and on a Docker of our own that is ended afterwards."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.workspace.sandbox.container import IMAGE
from tests.bench.floor import ROOT
from tests.sandbox import engines

SUITES = (
    "tests/conformance/test_sandbox.py",
    "tests/sandbox/test_containers.py",
    "tests/sandbox/test_attacks_limits.py",
    "tests/sandbox/test_attacks_output.py",
    "tests/sandbox/test_attacks_secrets.py",
    "tests/sandbox/test_egress.py",
    "tests/evaluator/test_corpus.py",
    "tests/evaluator/test_tampering.py",
    "tests/evaluator/test_script_runners.py",
    "tests/workspace/gates/agreed/test_interface_gate.py",
)
# No network of its own is made, and no disk but ours is touched; a raised limit may be forbidden.
DAEMON = (
    *("--iptables=false", "--ip6tables=false", "--bridge=none"),
    *("--default-ulimit", "nofile=1024:1024"),
)
PATIENCE = 60.0


@contextmanager
def private_docker() -> Iterator[str]:
    """The path of a `docker` that speaks to an engine of our own, which has the image."""
    daemon, client = shutil.which("dockerd"), shutil.which("docker")
    if daemon is None or client is None or os.geteuid() != 0:
        raise engines.NoEngine("Docker's engine is not installed, or this is not root")
    with TemporaryDirectory(prefix="overlord-docker-", dir="/var/tmp") as made:
        place = Path(made)
        command = place / "docker"
        command.write_text(f"#!/bin/sh\nexec '{client}' --host 'unix://{place}/docker.sock' \"$@\"\n")
        command.chmod(0o755)
        own = [f"--{name}={place}/{at}" for name, at in (("data-root", "data"), ("exec-root", "exec"))]
        line = [daemon, *DAEMON, *own, f"--pidfile={place}/pid", f"--host=unix://{place}/docker.sock"]
        with (place / "log").open("wb") as log, subprocess.Popen(line, stdout=log, stderr=log) as running:
            try:
                _wait_until_up(str(command), running, place / "log")
                _load(str(command))
                yield str(command)
            finally:
                running.terminate()  # it ends what it started
                running.wait(PATIENCE)


def _wait_until_up(command: str, running: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while not engines.works(command, "info"):
        if running.poll() is not None or time.monotonic() > until:
            raise engines.NoEngine(f"Docker's engine does not start: {log.read_text()[-500:]}")
        time.sleep(0.2)


def _load(command: str) -> None:
    """The image that Podman has. Whole, not by its layers: Podman writes a name before it that Docker does not know."""
    podman = engines.podman().path
    made = subprocess.run([podman, "create", IMAGE, "true"], check=True, capture_output=True, text=True)
    name = made.stdout.strip()
    try:
        with subprocess.Popen([podman, "export", name], stdout=subprocess.PIPE) as exported:
            subprocess.run([command, "import", "-", IMAGE], check=True, capture_output=True, stdin=exported.stdout)
    finally:
        subprocess.run([podman, "rm", "--force", name], check=True, capture_output=True)


def bring_node(folder: Path) -> str:
    """A copy of this machine's node and npm outside of /usr, which a container has its own of. Empty: there is none."""
    node, npm = shutil.which("node"), shutil.which("npm")
    modules = Path(npm).resolve().parents[1] if npm else None
    if node is None or modules is None or not (modules / "bin" / "npm-cli.js").is_file():
        return ""
    for name in ("bin", "lib"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    shutil.copy2(Path(node).resolve(), folder / "bin" / "node.own")
    for library in Path("/usr/lib").glob("*/libstdc++.so.6"):  # an image has no C++
        shutil.copy2(library, folder / "lib")
    start = folder / "bin" / "node"
    start.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={folder}/lib exec {folder}/bin/node.own "$@"\n')
    start.chmod(0o755)
    shutil.copytree(modules, folder / "lib" / "node_modules" / "npm", symlinks=True)
    (folder / "bin" / "npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")
    return f"{folder / 'bin'}:"


def main() -> int:
    subprocess.run([ROOT / ".ci" / "system", "runc", "podman", "mmdebstrap", "docker.io"], check=False)
    engines.main()
    suite = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITES]
    with private_docker() as docker, TemporaryDirectory(prefix="overlord-attacks-") as folder:
        suite.append(f"--basetemp={folder}/tests")
        Path(folder).chmod(0o755)
        path = bring_node(Path(folder, "node")) + os.environ.get("PATH", "")
        named = {"OVERLORD_TEST_SANDBOXES": "podman docker", "OVERLORD_TEST_DOCKER": docker, "PATH": path}
        return subprocess.run(suite, cwd=ROOT, env={**os.environ, **named}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
