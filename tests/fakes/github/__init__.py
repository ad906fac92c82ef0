"""A strict GitHub: the REST endpoints that Overlord uses, and real git over HTTP on a bare repository."""

from tests.fakes.github.fake import TOKEN, FakeGitHub, apart, running_github
from tests.fakes.github.faults import Fault
from tests.fakes.github.world import Effect, Repo, World

__all__ = ["TOKEN", "Effect", "FakeGitHub", "Fault", "Repo", "World", "apart", "running_github"]
