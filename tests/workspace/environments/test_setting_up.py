"""Set-up once with a network through the list, then offline: real sandboxes, real clients, an index on loopback."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.domain.project.environment import Service, WrittenEnvironment
from tests.conformance.sandbox_rig import USUAL
from tests.workspace.environments.private_index import PYTEST, Index, serving_index, write_go
from tests.workspace.environments.rig import Wish, make
from tests.workspace.repositories import git

BACKEND = """
import base64, hashlib, os, pathlib, zipfile
def get_requires_for_build_wheel(config_settings=None): return []
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = os.environ.get("SETUPTOOLS_SCM_PRETEND_VERSION", "9")
    pathlib.Path("src/shop/_version.py").write_text(f"version = {version!r}\\n")
    info = f"shop-{version}.dist-info"
    files = {str(path.relative_to("src")): path.read_text() for path in pathlib.Path("src").rglob("*.py")}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\\nName: shop\\nVersion: {version}\\nRequires-Dist: tiny\\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[f"{info}/entry_points.txt"] = "[console_scripts]\\nshop = shop:main\\n"
    files[f"{info}/RECORD"] = "".join(f"{name},,\\n" for name in files)
    name = f"shop-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return name
"""
SHOP = {
    "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    '[project]\nname = "shop"\ndynamic = ["version"]\ndependencies = ["tiny"]\n'
    '[tool.setuptools_scm]\nwrite_to = "src/shop/_version.py"\n# setuptools-scm\n',
    "setup.cfg": "# setuptools_scm tells the version\n",
    "backend.py": BACKEND,
    "src/shop/__init__.py": "import tiny\nfrom shop._version import version\n\n"
    "def main():\n    print('new', tiny.WHO, version)\n",
    "tests/test_shop.py": "import shop\n\ndef test_it():\n    assert shop.tiny.WHO == 'tiny'\n",
    ".gitignore": "_version.py\n",
}


@pytest.fixture
def index() -> Iterator[Index]:
    with serving_index() as made:
        made.add_wheel("tiny", {"tiny/__init__.py": "WHO = 'tiny'\n"})
        made.add_wheel("pytest", {"pytest/__init__.py": "", "pytest/__main__.py": PYTEST})
        made.add_wheel("coverage", {"coverage/__init__.py": ""})
        yield made


async def test_a_python_project_is_installed_once_and_its_own_tree_is_what_is_imported(
    tmp_path: Path, index: Index
) -> None:
    """Source layout, a version from git, a generated file, a private index whose files lie on another host."""
    rig = make(tmp_path, Wish(files=SHOP, environ={"PIP_INDEX_URL": index.simple}, tag="v2.5"))
    assert not (await rig.grounds.find("shop", rig.commit)).ready
    assert await rig.set_up() == ""
    assert (await rig.grounds.find("shop", rig.commit)).ready
    assert await rig.says("python", "-c", "import shop; print(shop.__file__.startswith('/')); shop.main()") == (
        "True\nnew tiny 2.5"
    )
    assert "gates/" in await rig.says("python", "-c", "import shop; print(shop.__file__)")
    assert await rig.says("shop") == "new tiny 2.5", "a program that was installed runs the tree's code, too"
    assert "1 passed" in await rig.says("python", "-m", "pytest")
    asked = len(index.asked)
    assert await rig.set_up() == "", "the second time there is nothing to do"
    assert len(index.asked) == asked


async def test_modules_of_a_workspace_lie_where_node_looks_and_lead_to_the_trees_own_packages(
    tmp_path: Path, index: Index
) -> None:
    integrity = index.add_npm("small", {"index.js": "#!/usr/bin/env node\nmodule.exports = 'small';\n"})
    member = {"name": "one", "version": "1.0.0", "main": "index.js", "dependencies": {"small": "1.0.0"}}
    root = {"name": "root", "private": True, "workspaces": ["packages/*"]}
    lock = {
        "name": "root",
        "lockfileVersion": 3,
        "packages": {
            "": root,
            "packages/one": member,
            "node_modules/one": {"resolved": "packages/one", "link": True},
            "node_modules/small": {"version": "1.0.0", "integrity": integrity, "bin": {"small": "index.js"}},
        },
    }
    files = {
        "package.json": json.dumps(root),
        "package-lock.json": json.dumps(lock),
        "packages/one/package.json": json.dumps(member),
        "packages/one/index.js": "module.exports = 'one with ' + require('small') + ' in ' + __dirname;\n",
    }
    rig = make(tmp_path, Wish(files=files, environ={"NPM_CONFIG_REGISTRY": index.npm}))
    assert await rig.set_up() == ""
    said = await rig.says("node", "-e", "console.log(require('one'))")
    assert said.startswith("one with small in ")
    assert "/gates/" in said, "the package of the tree that is judged, not of the one that was set up"
    kept = "mkdir -p node_modules/.cache/nyc && echo > node_modules/.cache/nyc/x"
    assert (await rig.run("sh", "-c", kept)).exit_code == 0, "tools keep things there while they run"
    refused = await rig.run("sh", "-c", "echo > node_modules/small/index.js")
    assert refused.exit_code != 0
    assert "ead-only" in refused.output


async def test_two_packages_of_one_repository_each_get_what_they_need(tmp_path: Path, index: Index) -> None:
    integrity = index.add_npm("small", {"index.js": "module.exports = 'small';\n"})
    web = {"name": "web", "version": "1.0.0", "dependencies": {"small": "1.0.0"}}
    lock = {
        "name": "web",
        "lockfileVersion": 3,
        "packages": {"": web, "node_modules/small": {"version": "1.0.0", "integrity": integrity}},
    }
    files = {
        "api/requirements.txt": "tiny\n",
        "api/tests/test_it.py": "import tiny\n",
        "web/package.json": json.dumps(web),
        "web/package-lock.json": json.dumps(lock),
    }
    environ = {"PIP_INDEX_URL": index.simple, "NPM_CONFIG_REGISTRY": index.npm}
    rig = make(tmp_path, Wish(files=files, environ=environ))
    assert await rig.set_up() == ""
    assert await rig.says("sh", "-c", "cd api && python -c 'import tiny; print(tiny.WHO)'") == "tiny"
    assert await rig.says("sh", "-c", "cd web && node -p \"require('small')\"") == "small"


@pytest.mark.skipif(not shutil.which("go"), reason="Go is not installed")
async def test_modules_of_go_are_fetched_once_and_used_offline(tmp_path: Path) -> None:
    modules = tmp_path / "modules"
    proxy = write_go(modules, "example.org/tiny", {"tiny.go": 'package tiny\n\nfunc Who() string { return "tiny" }\n'})
    files = {
        "go.mod": "module shop\n\ngo 1.19\n\nrequire example.org/tiny v1.0.0\n",
        "main.go": 'package main\n\nimport "example.org/tiny"\n\nfunc main() { print(tiny.Who()) }\n',
    }
    rig = make(tmp_path, Wish(files=files, environ={"GOPROXY": proxy, "GOSUMDB": "off"}))
    assert await rig.set_up() == ""
    shutil.rmtree(modules)
    assert "tiny" in await rig.says("go", "run", ".")


def has_rust() -> bool:
    """A cargo that runs: rustup's own stands in the path also where it has no toolchain, as in an empty home."""
    there = shutil.which("cargo") and shutil.which("cc")
    return bool(there) and subprocess.run(["cargo", "--version"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_rust(), reason="Rust is not installed, or not for this home")
async def test_crates_are_fetched_once_and_used_offline(tmp_path: Path, index: Index) -> None:
    index.add_crate("tiny", {"src/lib.rs": 'pub fn who() -> &\'static str { "tiny" }\n'})
    files = {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\ntiny = "1"\n',
        "src/main.rs": 'fn main() { println!("{}", tiny::who()); }\n',
    }
    own = tmp_path / "cargo"
    own.mkdir()
    sources = f'[source.crates-io]\nreplace-with = "own"\n[source.own]\nregistry = "{index.crates}"\n'
    (own / "config.toml").write_text(sources)
    rig = make(tmp_path, Wish(files=files, environ={"CARGO_HOME": str(own)}))
    assert await rig.set_up() == ""
    asked = len(index.asked)
    assert await rig.says("cargo", "run", "--offline", "--quiet") == "tiny"
    assert len(index.asked) == asked


async def test_a_host_that_no_list_names_is_not_reached_and_the_log_says_which(tmp_path: Path, index: Index) -> None:
    command = "python3 -c \"import urllib.request as u; u.urlopen('http://evil.example:81/x')\""
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=WrittenEnvironment(setup=(command,))))
    problem = await rig.set_up()
    assert "403" in problem
    assert "evil.example:81" in problem
    assert "packages:" in problem
    assert "refused: evil.example:81 is on no list" in await rig.log()
    assert not (await rig.grounds.find("shop", rig.commit)).ready


@pytest.mark.parametrize("sandbox", USUAL)
async def test_what_a_person_lists_may_be_reached_and_nothing_else(tmp_path: Path, index: Index, sandbox: str) -> None:
    from agents.domain.project.packages import Client

    place = index.address.removeprefix("http://")
    fetch = f"python3 -c \"import urllib.request as u; print(u.urlopen('{index.simple}tiny/').status)\""
    written = WrittenEnvironment(setup=(fetch,))
    hosts = {Client.PIP: (place,)}
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=written, hosts=hosts, sandbox=sandbox))
    assert await rig.set_up() == ""
    other = WrittenEnvironment(setup=(fetch.replace(place, "evil.example:81"),))
    elsewhere = make(tmp_path / "x", Wish(files={"a.py": ""}, written=other, hosts=hosts, sandbox=sandbox))
    assert "evil.example:81" in await elsewhere.set_up()


async def test_offline_ever_after(tmp_path: Path, index: Index) -> None:
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=WrittenEnvironment(setup=("true",))))
    assert await rig.set_up() == ""
    fetch = f"import urllib.request as u; u.urlopen('{index.simple}tiny/')"
    assert (await rig.run("python", "-c", fetch)).exit_code != 0
    assert index.asked == []


async def test_a_set_up_that_fails_leaves_nothing_that_counts(tmp_path: Path) -> None:
    setup = ('echo one > "$LAYER/venv-to-be"', "echo no such thing >&2; exit 3", 'touch "$LAYER/never"')
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=WrittenEnvironment(setup=setup)))
    assert "ends with exit code 3: no such thing" in await rig.set_up()
    assert not (await rig.grounds.find("shop", rig.commit)).ready
    assert [path.name for path in (rig.home / "environments" / "shop").iterdir()] == [".lock"]
    assert "no such thing" in await rig.log()


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=WrittenEnvironment(setup=("flurb install",))))
    assert "Install flurb on this machine" in await rig.set_up()


async def test_changed_locks_make_a_new_layer_and_the_old_one_serves_until_then(tmp_path: Path, index: Index) -> None:
    setup = ('"$PYTHON" -m venv --without-pip "$LAYER/venv"', 'cp lock "$LAYER/venv/lock"')
    files = {"requirements.txt": "tiny\n", "lock": "one"}
    rig = make(tmp_path, Wish(files=files, written=WrittenEnvironment(setup=setup)))
    assert await rig.set_up() == ""
    read = ("sh", "-c", 'cat "$(dirname "$(dirname "$(command -v python)")")/lock"')
    assert await rig.says(*read) == "one"
    (rig.user / "requirements.txt").write_text("tiny>1\n")
    (rig.user / "lock").write_text("two")
    git(rig.user, "commit", "-qam", "Newer")
    git(rig.home / "repos/shop.git", "fetch", "-q", str(rig.user), "main:main")
    rig.commit = git(rig.user, "rev-parse", "HEAD")
    assert not (await rig.grounds.find("shop", rig.commit)).ready
    assert await rig.says(*read) == "one"
    assert await rig.set_up() == ""
    assert await rig.says(*read) == "two"


async def test_carried_files_and_preparation_are_in_every_tree(tmp_path: Path) -> None:
    written = WrittenEnvironment(
        setup=(), prepare=("echo made > made.txt",), carry=("config/local.env", "gone.env"), variables={"MODE": "test"}
    )
    wish = Wish(files={"a.py": "", ".gitignore": "*.env\n"}, written=written, ignored={"config/local.env": "KEY=1\n"})
    rig = make(tmp_path, wish)
    assert await rig.says("sh", "-c", "cat config/local.env made.txt; echo $MODE") == "KEY=1\nmade\ntest"


async def test_a_carried_file_is_never_taken_or_put_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine")
    written = WrittenEnvironment(setup=(), carry=("taken.env", "put/there.env"))
    wish = Wish(files={"a.py": ""}, written=written, ignored={"put/there.env": "x"})
    rig = make(tmp_path, wish)
    (rig.user / "taken.env").symlink_to(tmp_path / "secret")
    assert (await rig.run("cat", "taken.env")).exit_code != 0


async def test_a_preparation_that_fails_says_which(tmp_path: Path) -> None:
    from agents.workspace.sandbox.session import NotPrepared

    written = WrittenEnvironment(setup=(), prepare=("echo no protoc; exit 4",))
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=written))
    with pytest.raises(NotPrepared, match="exit code 4: no protoc"):
        await rig.run("true")


SERVER = (
    "python3 -c \"import http.server as h; h.ThreadingHTTPServer(('127.0.0.1', 8123), h.SimpleHTTPRequestHandler)"
    '.serve_forever()"'
)
ASK = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8123/a.py').status)"


async def test_a_service_runs_beside_the_command_and_ends_with_it(tmp_path: Path) -> None:
    ready = f'python3 -c "{ASK}"'
    written = WrittenEnvironment(setup=(), services=(Service(name="web", command=SERVER, ready=ready),))
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=written))
    assert await rig.says("python3", "-c", ASK) == "200"
    never = WrittenEnvironment(setup=(), services=(Service(name="web", command=SERVER),))
    assert (
        await make(tmp_path, Wish(files={"a.py": ""}, written=never), "other").run("sh", "-c", "exit 7")
    ).exit_code == 7
