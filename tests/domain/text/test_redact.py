"""P23, attack 59: every shape of secret goes, ordinary code stays, hostile text costs no more than its length."""

import base64
import sysconfig
import time
from pathlib import Path

import pytest

from agents.domain.text.redact import MASK, Redactor, Secret
from agents.domain.text.secret_shapes import SHAPES
from tests.domain.secret_corpus import BARE, NAMED, corpus, encoded, wrapped
from tests.domain.secret_corpus_more import more

ROOT = Path(__file__).resolve().parents[3]
LIBRARIES = ("discord", "slack_sdk", "slack_bolt", "sqlalchemy", "aiohttp", "starlette", "uvicorn", "jinja2", "typer")
STANDARD = ("email", "http", "urllib", "logging")
redact = Redactor()


def leaked(text: str, secret: str) -> bool:
    """A mask must leave no long piece of the secret."""
    pieces = [secret[at : at + 12] for at in range(max(1, len(secret) - 11))]
    return any(len(piece) >= 8 and piece in text for piece in pieces)


def test_the_corpus_holds_enough_shapes() -> None:
    assert len(BARE) + len(NAMED) >= 60
    assert len({shape.name for shape in SHAPES}) >= 60


def test_every_secret_goes() -> None:
    texts = [*corpus(), *more()]
    left = [name for name, text, secret in texts if leaked(redact(text), secret)]
    assert left == [], f"{len(left)} of {len(texts)} are left"


def test_what_stands_around_a_secret_stays() -> None:
    token = BARE["github classic"]
    assert redact(f"git push failed for {token}, try again") == f"git push failed for {MASK}, try again"
    assert redact(f"postgresql://ana:{'s3cr3t' * 2}@db/app?x=1") == f"postgresql://ana:{MASK}@db/app?x=1"
    assert redact(f"a\n{BARE['rsa key']}\nb") == f"a\n{MASK}\nb"


def test_a_secret_in_base64_goes() -> None:
    for name, text in encoded():
        assert redact(text).endswith(MASK), name


def test_a_secret_broken_by_a_line_end_goes() -> None:
    for name, text, part in wrapped():
        assert part not in redact(text), (name, text)


@pytest.mark.parametrize("secret", ["correct horse battery staple", "hunter2-hunter2", "über-geheim-123", "a.b+c*d[e"])
def test_a_known_secret_goes_however_it_is_spelled(secret: str) -> None:
    knows = Redactor([secret, "abc"])
    assert knows(f"x{secret}y abc") == f"x{MASK}y abc"
    middle = len(secret) // 2
    assert secret[middle:] not in knows(f"see {secret[:middle]}\n    {secret[middle:]}")
    for before in ("", "a", "ab"):
        carried = base64.b64encode(f"{before}{secret}:more to say".encode()).decode()
        assert carried[8:16] not in knows(f"x={carried}")


CODE = """
token: str
password = None
def login(user: str, password: str, token: str | None = None) -> Session: ...
api_key = os.environ["OPENAI_API_KEY"]
secret = settings.slack.signing_secret.get_secret_value() if settings.slack.signing_secret else ""
headers = {"Authorization": f"Bearer {token}"}
access_token_expiration_minutes = ACCESS_TOKEN_EXPIRATION_MINUTES_DEFAULT_VALUE
token = secrets.token_urlsafe(32)
client_secret: SecretStr = Field(default=..., repr=False)
url = "postgresql://user:password@localhost/db"
print("set OPENAI_API_KEY=sk-... or ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
commit 3f786850e387550fdab836ed7e6dc881de23001b
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
assert password != "" and "-----BEGIN PRIVATE KEY-----" in text
password: str = Field(min_length=8); password=self.password1; passwd = getpass2("Password1: ")
password=MAX_PASSWORD_2; pwd = os.getcwd(); check_password(password, user.password2)
docker run -u 1000:1000 --user ana:ana image; {"auth": "required", "d": "M10 20 L30 40"}
task-sk-manager = 1; ask-questions-before-you-start-working
https://github.com/acme/api/pull/12 T-1 d:8f3kQz_17
"""


def test_code_is_not_damaged() -> None:
    for line in CODE.splitlines():
        assert redact(line) == line


def test_ordinary_code_raises_hardly_any_false_alarm() -> None:
    """At most one in ten thousand lines, of our own packages, of libraries and of Python's own."""
    installed = sysconfig.get_paths()
    folders = [ROOT / name for name in ("bot", "agents", "store", "manifests")]
    folders += [Path(installed["purelib"]) / name for name in LIBRARIES]
    folders += [Path(installed["stdlib"]) / name for name in STANDARD]
    lines = alarms = 0
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))[::3]):
        text = path.read_text(encoding="utf-8", errors="replace")
        lines += text.count("\n")
        alarms += redact(text).count(MASK) - text.count(MASK)
    assert lines > 50_000
    assert alarms <= lines / 10_000, f"{alarms} in {lines} lines"


EDGE = "-" * 5
HOSTILE = {
    "begun keys": f"{EDGE}BEGIN RSA PRIVATE KEY{EDGE}\n",
    "begun keys with a body": f"{EDGE}BEGIN PRIVATE KEY{EDGE}\n{'A' * 20}\n",
    "begun tokens": "eyJhbGciOiJIUzI1NiJ9.",
    "one endless token": "eyJhbGciOi",
    "prefixes": "sk-sk-proj-xoxb-ghp_AKIA",
    "addresses": "://a:b",
    "names": "token=secret=password=",
    "dots": "MTA.",
    "base64": "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB",
    "headers": "Authorization: Bearer ",
    "passwords": "password=Aa1;password='Aa1 -u a:b1 login a password ",
    "begun services": "glcbt-tskey-auth-EZAKv1.pa-sk_fc-",
    "line breaks": "a\n",
    "spaces": " \n\t",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(name: str) -> None:
    """Four times the text takes at most six times as long, in the same run. The best of a few tries counts."""
    knows, unit, size = Redactor(["a-secret-of-ours"]), HOSTILE[name], 40_000

    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        return min(_took(knows, text) for _ in range(4))

    small = max(seconds(size), 0.002)
    assert seconds(4 * size) <= 6 * small


def _took(knows: Redactor, text: str) -> float:
    before = time.process_time()
    knows(text)
    return time.process_time() - before


def test_a_secret_shows_nowhere_and_is_handed_over_once_asked() -> None:
    secret = Secret("canary")
    assert "canary" not in f"{secret} {secret!r} {[secret]}"
    assert secret.reveal() == "canary"


def test_secrets_are_told_apart_by_what_they_hold() -> None:
    assert {Secret("a"), Secret("a"), Secret("b")} == {Secret("a"), Secret("b")}
    assert len({Secret("a"), Secret("a"), Secret("b")}) == 2
    assert Secret("a") != "a" and Secret("a") != Secret("b") and Secret("a") and not Secret("")


def test_secrets_that_stand_side_by_side_or_within_each_other_go_once_each() -> None:
    token = BARE["github classic"]
    assert redact(f"{token} and {token}") == f"{MASK} and {MASK}"
    assert Redactor(["abcdefgh-12345", "abcdefgh"])("x abcdefgh-12345 y") == f"x {MASK} y"
