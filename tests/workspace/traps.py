"""Ways to make a careless git run a program: each leaves its name in a canary file if it does."""

from dataclasses import dataclass
from pathlib import Path

from tests.workspace.yard import git

# Every setting that names a program; `{run}` becomes one that tells the canary.
SETTINGS = {
    "fsmonitor": "[core]\n fsmonitor = {run}",
    "hookspath": "[core]\n hooksPath = {hooks}",
    "editor": "[core]\n editor = {run}",
    "pager": "[core]\n pager = {run}",
    "pagers": "[pager]\n diff = {run}\n log = {run}\n show = {run}\n status = {run}",
    "sshcommand": "[core]\n sshCommand = {run}",
    "gitproxy": "[core]\n gitProxy = {run}",
    "askpass": "[core]\n askPass = {run}",
    "alternaterefs": "[core]\n alternateRefsCommand = {run}",
    "sequence": "[sequence]\n editor = {run}",
    "gpg": "[commit]\n gpgSign = true\n[gpg]\n program = {run}",
    "gpgssh": '[gpg "ssh"]\n program = {run}\n defaultKeyCommand = {run}',
    "signmerge": "[merge]\n verifySignatures = true",
    "external": "[diff]\n external = {run}",
    "command": '[diff "evil"]\n command = {run}',
    "textconv": '[diff "evil"]\n textconv = {run}',
    "clean": '[filter "evil"]\n clean = {run}',
    "smudge": '[filter "evil"]\n smudge = {run}',
    "process": '[filter "slow"]\n process = {run}\n required = true',
    "driver": '[merge "evil"]\n driver = {run}',
    "mergedefault": "[merge]\n default = evil",
    "include": "[include]\n path = {included}",
    "includeif": '[includeIf "gitdir:/"]\n path = {included}',
    "uploadpack": '[remote "origin"]\n url = .\n uploadpack = {run}\n receivepack = {run}',
    "ext": '[remote "evil"]\n url = ext::{run}\n fetch = +refs/heads/*:refs/x/*\n[protocol "ext"]\n allow = always',
    "packhook": "[uploadpack]\n packObjectsHook = {run}",
    "credential": "[credential]\n helper = !{run}",
    "alias": "[alias]\n status = !{run}\n add = !{run}\n diff = !{run}\n merge-tree = !{run}\n ls-files = !{run}",
    "submodule": '[submodule "lib"]\n update = !{run}\n active = true\n url = ext::{run}\n[submodule]\n recurse = true',
    "trailer": '[trailer "x"]\n command = {run}\n cmd = {run}\n ifmissing = add',
    "difffilter": "[interactive]\n diffFilter = {run}",
    "mergetool": '[merge]\n tool = evil\n[mergetool "evil"]\n cmd = {run}',
    "difftool": '[diff]\n tool = evil\n guitool = evil\n[difftool "evil"]\n cmd = {run}',
    "insteadof": '[url "ext::{run}"]\n insteadOf = /',
    "attributes": "[core]\n attributesFile = {attributes}",
    "browser": "[help]\n browser = evil\n autocorrect = immediate",
    "tar": '[tar "evil"]\n command = {run}',
    "packcommand": "[receive]\n procReceiveRefs = refs",
}
ATTRIBUTES = "* filter=evil diff=evil merge=evil text\n*.slow filter=slow\n"
HOOKS = (
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"),
    *("commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update"),
    *("proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc"),
    *("post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change"),
)


@dataclass(frozen=True, slots=True)
class Traps:
    """Programs under a folder of their own; `sprung` names those that ran."""

    place: Path

    @property
    def sprung(self) -> list[str]:
        canary = self.place / "canary"
        return sorted(set(canary.read_text().split())) if canary.exists() else []

    def program(self, name: str) -> Path:
        path = self.place / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {name} >> {self.place}/canary\ncat\n")
        path.chmod(0o755)
        return path

    def config(self) -> str:
        """All settings at once: none may hide another, since none may have any effect."""
        included = self.place / "included"
        self.place.mkdir(parents=True, exist_ok=True)
        included.write_text(f"[core]\n fsmonitor = {self.program('included')}\n")
        attributes = self.place / "attributes"
        attributes.write_text(ATTRIBUTES)
        hooks = self.hooks(self.place / "hooks")
        named = {"included": included, "attributes": attributes, "hooks": hooks}
        return "\n".join(text.format(run=self.program(name), **named) for name, text in SETTINGS.items()) + "\n"

    def hooks(self, into: Path) -> Path:
        into.mkdir(parents=True, exist_ok=True)
        for name in HOOKS:
            (into / name).write_text(self.program(f"hook-{name}").read_text())
            (into / name).chmod(0o755)
        return into

    def repository(self, at: Path, *, bare: bool = False, commit: bool = True) -> Path:
        """A repository full of traps; its git folder."""
        at.mkdir(parents=True, exist_ok=True)
        git(at, "init", "-q", *(["--bare"] if bare else []))
        if commit and not bare:
            git(at, "commit", "-q", "--allow-empty", "-m", "nested")
        inside = at if bare else at / ".git"
        self.hooks(inside / "hooks")
        with (inside / "config").open("a") as config:
            config.write(self.config())
        return inside
