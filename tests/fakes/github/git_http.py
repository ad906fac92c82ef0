"""Real git over HTTP: git http-backend as CGI on the bare repositories, for those who have the token."""

import asyncio
import base64
import os
from pathlib import Path

from aiohttp import web

from tests.fakes.github.world import Effect, Repo, World
from tests.workspace import repositories as repos


class GitHttp:
    def __init__(self, world: World, folder: Path, tokens: set[str]) -> None:
        self._world = world
        self._folder = folder
        self._tokens = tokens
        self.seen_tokens = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if not self._allowed(request.headers.get("Authorization", "")):
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="GitHub"'})
        repo = self._world.repos.get(f"{request.match_info['owner']}/{request.match_info['name']}")
        if repo is None:
            return web.Response(status=404)
        if request.query.get("service") == "git-receive-pack":
            self._world.before_push()
        before = _refs(repo)
        answer = await self._backend(request, await request.read())
        for ref, commit in _refs(repo).items():
            if before.get(ref) != commit:
                self._world.effects.append(Effect(kind="push", what=f"{repo.full} {ref}"))
        return answer

    def _allowed(self, header: str) -> bool:
        kind, _, value = header.partition(" ")
        if kind.lower() != "basic":
            return False
        login, _, password = base64.b64decode(value).decode().partition(":")
        return login == "x-access-token" and password in self._tokens

    async def _backend(self, request: web.Request, body: bytes) -> web.Response:
        process = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_PROJECT_ROOT": str(self._folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
                "PATH_INFO": request.path,
                "QUERY_STRING": request.query_string,
                "REQUEST_METHOD": request.method,
                "CONTENT_TYPE": request.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "REMOTE_USER": "x-access-token",
                "REMOTE_ADDR": "127.0.0.1",
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            out, _ = await process.communicate(body)
        finally:  # whoever asked may have gone away
            if process.returncode is None:
                process.kill()
                await process.communicate()
        head, _, rest = out.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(headers.pop("Status", "200").split()[0])
        return web.Response(status=status, body=rest, headers=headers)


def _refs(repo: Repo) -> dict[str, str]:
    listed = repos.git(repo.path, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(line.split(" ", 1) for line in listed)
