"""A package index of our own on loopback, for pip, npm and Cargo, with packages that are made here."""

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# Runs tests as pytest would, as far as the tests here need it.
PYTEST = """
import importlib.util, os, pathlib, sys, time, traceback
from xml.sax.saxutils import quoteattr
cases, failed = [], 0
for path in sorted(pathlib.Path.cwd().rglob("test_*.py")):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        tests = [(name, test) for name, test in vars(module).items() if name.startswith("test_")]
    except Exception:
        traceback.print_exc()
        sys.exit(2)
    for name, test in tests:
        try:
            test()
            cases.append((path.stem, name, ""))
        except Exception as problem:
            traceback.print_exc()
            failed += 1
            cases.append((path.stem, name, repr(problem)))
report = [each.split("=", 1)[1] for each in sys.argv if each.startswith("--junitxml=")]
if report:
    rows = "".join(
        f'<testcase classname={quoteattr(stem)} name={quoteattr(name)} time="0.01">'
        + (f"<failure message={quoteattr(why)}/>" if why else "") + "</testcase>" for stem, name, why in cases)
    pathlib.Path(report[0]).write_text(
        f'<testsuites><testsuite name="pytest" tests="{len(cases)}" failures="{failed}" errors="0">'
        f"{rows}</testsuite></testsuites>")
print(f"{failed} failed, {len(cases) - failed} passed")
sys.exit(1 if failed else 0 if cases else 5)
"""


def wheel(name: str, files: Mapping[str, str], version: str = "1.0") -> tuple[str, bytes]:
    """Its file name and content."""
    info = f"{name}-{version}.dist-info"
    named = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    for path, text in named.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text.encode())}")
    named[f"{info}/RECORD"] = "\n".join((*rows, f"{info}/RECORD,,", ""))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in named.items():
            archive.writestr(path, text)
    return f"{name}-{version}-py3-none-any.whl", made.getvalue()


def tarball(name: str, files: Mapping[str, str], version: str = "1.0.0") -> bytes:
    """A package for npm."""
    made = io.BytesIO()
    described = json.dumps({"name": name, "version": version, "main": "index.js", "bin": {name: "index.js"}})
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for path, text in {"package.json": described, **files}.items():
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size, entry.mode = len(text.encode()), 0o755
            archive.addfile(entry, io.BytesIO(text.encode()))
    return made.getvalue()


def write_go(folder: Path, module: str, files: Mapping[str, str], version: str = "v1.0.0") -> str:
    """A folder as a proxy of modules, and its address: Go asks an index on loopback past any proxy."""
    at = folder / module / "@v"
    at.mkdir(parents=True)
    described = f"module {module}\n"
    with zipfile.ZipFile(at / f"{version}.zip", "w") as archive:
        for path, text in {"go.mod": described, **files}.items():
            archive.writestr(f"{module}@{version}/{path}", text)
    (at / "list").write_text(f"{version}\n")
    (at / f"{version}.info").write_text(json.dumps({"Version": version, "Time": "2026-01-01T00:00:00Z"}))
    (at / f"{version}.mod").write_text(described)
    return f"file://{folder}"


@dataclass(slots=True)
class Index:
    """Pages by path. `files` is where what they link to lies: another host, as far as a proxy can tell."""

    address: str
    files: str
    pages: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    wants: str = ""  # the value of the header Authorization, where the door is locked

    def add_wheel(self, name: str, files: Mapping[str, str], version: str = "1.0") -> None:
        file, content = wheel(name, files, version)
        digest = hashlib.sha256(content).hexdigest()
        self.pages[f"/files/{file}"] = content
        link = f'<a href="{self.files}/files/{file}#sha256={digest}">{file}</a>\n'
        page = f"/simple/{name.replace('_', '-')}/"
        self.pages[page] = self.pages.get(page, b"<!DOCTYPE html><html><body>\n") + link.encode()

    def add_npm(self, name: str, files: Mapping[str, str], version: str = "1.0.0") -> str:
        """Returns its integrity, for a lock."""
        content = tarball(name, files, version)
        integrity = f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"
        self.pages[f"/files/{name}-{version}.tgz"] = content
        dist = {"tarball": f"{self.files}/files/{name}-{version}.tgz", "integrity": integrity}
        whole = {"name": name, "version": version, "dist": dist, "bin": {name: "index.js"}}
        document = {"name": name, "dist-tags": {"latest": version}, "versions": {version: whole}}
        self.pages[f"/npm/{name}"] = json.dumps(document).encode()
        return integrity

    def add_crate(self, name: str, files: Mapping[str, str], version: str = "1.0.0") -> None:
        """As a sparse registry serves it; the name has at least four letters."""
        made = io.BytesIO()
        manifest = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2021"\n'
        with tarfile.open(fileobj=made, mode="w:gz") as archive:
            for path, text in {"Cargo.toml": manifest, **files}.items():
                entry = tarfile.TarInfo(f"{name}-{version}/{path}")
                entry.size, entry.mode = len(text.encode()), 0o644
                archive.addfile(entry, io.BytesIO(text.encode()))
        digest = hashlib.sha256(made.getvalue()).hexdigest()
        row = {"name": name, "vers": version, "deps": [], "cksum": digest, "features": {}, "yanked": False}
        self.pages[f"/crates/{name[:2]}/{name[2:4]}/{name}"] = json.dumps(row).encode()
        self.pages["/crates/config.json"] = json.dumps({"dl": f"{self.address}/crates/dl"}).encode()
        self.pages[f"/crates/dl/{name}/{version}/download"] = made.getvalue()

    @property
    def simple(self) -> str:
        return f"{self.address}/simple/"

    @property
    def npm(self) -> str:
        return f"{self.address}/npm/"

    @property
    def crates(self) -> str:
        return f"sparse+{self.address}/crates/"


@contextmanager
def serving_index() -> Iterator[Index]:
    held = list[Index]()

    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index = held[0]
            index.asked.append(self.path)
            if index.wants and self.headers.get("Authorization") != index.wants:
                self.send_error(401)
                return
            content = index.pages.get(self.path)
            self.send_response(200 if content is not None else 404)
            kind = "application/json" if self.path.startswith("/npm") else "text/html"
            self.send_header("Content-Type", "application/octet-stream" if self.path.startswith("/files") else kind)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    pages, files = (ThreadingHTTPServer(("127.0.0.1", 0), Door) for _ in range(2))
    held.append(Index(f"http://127.0.0.1:{pages.server_port}", f"http://127.0.0.1:{files.server_port}"))
    for server in (pages, files):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield held[0]
    finally:
        for server in (pages, files):
            server.shutdown()
            server.server_close()
