"""Secrets that nobody holds, of every shape, put together at run time so that no scanner takes this file for a leak."""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator

_CHANCE = random.Random(59)
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
UPPER = string.ascii_uppercase + "234567"


def some(count: int, of: str = ALNUM) -> str:
    """Random, but with a digit and letters of both cases where there are such."""
    made = "".join(_CHANCE.choice(of) for _ in range(count))
    return made if of != ALNUM or any(c.isdigit() for c in made) else f"{made[:-1]}7"


def _b64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _jwt(header: str = '{"alg":"HS256","typ":"JWT"}') -> str:
    return f"{_b64(header)}.{_b64(json.dumps({'sub': some(10), 'iat': 1516239022}))}.{some(43, URLSAFE)}"


def _uuid() -> str:
    return "-".join(some(count, HEX) for count in (8, 4, 4, 4, 12))


def _discord() -> str:
    return f"{_b64('1' + some(17, string.digits))}.{some(6, URLSAFE)}.{some(38, URLSAFE)}"


def pem(kind: str = "RSA ", break_: str = "\n") -> str:
    lines = [some(64, ALNUM + "+/") for _ in range(8)] + [f"{some(30)}=="]
    edge = "-" * 5
    return break_.join((f"{edge}BEGIN {kind}PRIVATE KEY{edge}", *lines, f"{edge}END {kind}PRIVATE KEY{edge}"))


# By name: the secret itself, which must be gone from whatever it stands in.
BARE: dict[str, str] = {
    "anthropic": "sk-" + "ant-api03-" + some(93, URLSAFE) + "AA",
    "openai": "sk-" + some(48),
    "openai project": "sk-" + "proj-" + some(74, URLSAFE) + "T3BlbkFJ" + some(74, URLSAFE),
    "openai service account": "sk-" + "svcacct-" + some(60, URLSAFE),
    "openrouter": "sk-" + "or-v1-" + some(64, HEX),
    "google api": "AI" + "za" + some(35, URLSAFE),
    "google oauth": "ya" + "29." + some(80, URLSAFE),
    "google client": "GOC" + "SPX-" + some(28, URLSAFE),
    "hugging face": "h" + "f_" + some(34),
    "replicate": "r" + "8_" + some(37),
    "groq": "gs" + "k_" + some(52),
    "xai": "xa" + "i-" + some(80),
    "perplexity": "ppl" + "x-" + some(48),
    "slack bot": "xox" + f"b-{some(12, string.digits)}-{some(13, string.digits)}-{some(24)}",
    "slack user": "xox" + f"p-{some(12, string.digits)}-{some(12, string.digits)}-{some(32, HEX)}",
    "slack legacy": "xox" + f"s-{some(11, string.digits)}-{some(11, string.digits)}-{some(10, HEX)}",
    "slack refresh": "xox" + "e-1-" + some(146),
    "slack rotated": "xox" + "e.xox" + "b-1-" + some(166),
    "slack app": "xap" + f"p-1-A{some(10, UPPER)}-{some(13, string.digits)}-{some(64, HEX)}",
    "discord": _discord(),
    "telegram": f"{some(9, '123456789')}:AA{some(33, URLSAFE)}",
    "github classic": "gh" + "p_" + some(36),
    "github oauth": "gh" + "o_" + some(36),
    "github user": "gh" + "u_" + some(36),
    "github server": "gh" + "s_" + some(36),
    "github refresh": "gh" + "r_" + some(76),
    "github fine-grained": "github" + f"_pat_{some(22)}_{some(59)}",
    "gitlab": "gl" + "pat-" + some(20, URLSAFE),
    "gitlab routable": "gl" + f"pat-{some(27, URLSAFE)}.01.{some(9)}",
    "gitlab runner": "gl" + "rt-" + some(20, URLSAFE),
    "gitlab deploy": "gl" + "dt-" + some(20, URLSAFE),
    "gitlab trigger": "gl" + "ptt-" + some(40, HEX),
    "gitlab registration": "GR" + "1348941" + some(20, URLSAFE),
    "bitbucket": "AT" + "BB" + some(32),
    "atlassian": "ATA" + "TT3xFfGF0" + some(160, URLSAFE) + "=" + some(8, HEX.upper()),
    "npm": "np" + "m_" + some(36),
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + some(120, URLSAFE),
    "rubygems": "ruby" + "gems_" + some(48, HEX),
    "crates": "ci" + "o" + some(32),
    "docker": "dck" + "r_pat_" + some(27, URLSAFE),
    "docker organization": "dck" + "r_oat_" + some(32, URLSAFE),
    "aws id": "AK" + "IA" + some(16, UPPER),
    "aws temporary id": "AS" + "IA" + some(16, UPPER),
    "azure client": f"{some(3)}8Q~{some(34, URLSAFE + '.~')}",
    "digitalocean": "do" + "p_v1_" + some(64, HEX),
    "digitalocean oauth": "do" + "o_v1_" + some(64, HEX),
    "digitalocean refresh": "do" + "r_v1_" + some(64, HEX),
    "alibaba": "LT" + "AI5t" + some(20),
    "heroku": "HR" + "KU-" + _uuid(),
    "fly": "Fly" + "V1 fm2_" + some(120, ALNUM + "+/"),
    "netlify": "nf" + "p_" + some(36),
    "cloudflare origin": "v1" + f".0-{some(24, HEX)}-{some(146, HEX)}",
    "terraform": f"{some(14)}.atlas" + "v1." + some(67, URLSAFE),
    "vault": "hv" + "s." + some(90, URLSAFE),
    "vault batch": "hv" + "b." + some(120, URLSAFE),
    "pulumi": "pu" + "l-" + some(40, HEX),
    "databricks": "da" + "pi" + some(32, HEX),
    "supabase": "sb" + "p_" + some(40, HEX),
    "planetscale": "psca" + "le_pw_" + some(43, URLSAFE),
    "planetscale token": "psca" + "le_tkn_" + some(43, URLSAFE),
    "stripe live": "sk" + "_live_" + some(24),
    "stripe test": "sk" + "_test_" + some(99),
    "stripe restricted": "rk" + "_live_" + some(99),
    "stripe webhook": "wh" + "sec_" + some(32),
    "square": "sq" + "0atp-" + some(22, URLSAFE),
    "square secret": "sq" + "0csp-" + some(43, URLSAFE),
    "paypal": "access" + f"_token$production${some(16, string.ascii_lowercase + '0123456789')}${some(32, HEX)}",
    "shopify": "shp" + "at_" + some(32, HEX),
    "shopify secret": "shp" + "ss_" + some(32, HEX),
    "sendgrid": "S" + f"G.{some(22, URLSAFE)}.{some(43, URLSAFE)}",
    "mailgun": "ke" + "y-" + some(32, HEX),
    "mailchimp": f"{some(32, HEX)}-us21",
    "brevo": "xkey" + f"sib-{some(64, HEX)}-{some(16)}",
    "resend": "r" + f"e_{some(8)}_{some(24)}",
    "twilio": "S" + "K" + some(32, HEX),
    "linear": "lin" + "_api_" + some(40),
    "notion": "nt" + "n_" + some(46),
    "notion secret": "sec" + "ret_" + some(43),
    "figma": "fi" + "gd_" + some(40, URLSAFE),
    "postman": "PM" + f"AK-{some(24, HEX)}-{some(34, HEX)}",
    "grafana": "gl" + f"sa_{some(32)}_{some(8, HEX)}",
    "grafana cloud": "gl" + "c_" + some(80, ALNUM + "+/"),
    "new relic": "NR" + "AK-" + some(27, string.ascii_uppercase + string.digits),
    "sentry": "snt" + "rys_" + some(120, URLSAFE),
    "sentry user": "snt" + "ryu_" + some(64, HEX),
    "doppler": "dp" + ".pt." + some(43),
    "1password": "op" + "s_eyJ" + some(250, URLSAFE),
    "airtable": "pa" + f"t{some(14)}.{some(64, HEX)}",
    "jwt": _jwt(),
    "jwt unsigned": f"{_b64(json.dumps({'alg': 'none'}))}.{_b64(json.dumps({'admin': True, 'id': some(8)}))}.",
    "jwe": ".".join((_b64('{"alg":"RSA-OAEP","enc":"A256GCM"}'), *(some(n, URLSAFE) for n in (80, 16, 60, 22)))),
    "rsa key": pem("RSA "),
    "pkcs8 key": pem(""),
    "ec key": pem("EC "),
    "encrypted key": pem("ENCRYPTED "),
    "openssh key": pem("OPENSSH "),
    "key in json": pem("RSA ", "\\n"),
    "age": "AGE" + "-SECRET-KEY-1" + some(58, UPPER),
}  # fmt: skip

# By name: a text, and the part of it that must be gone.
NAMED: dict[str, tuple[str, str]] = {}


def _name(name: str, text: str, secret: str) -> None:
    NAMED[name] = (text.replace("@@", secret), secret)


_name("aws secret", "aws_secret_access_key = @@", some(40, ALNUM + "/+"))
_name("aws secret in json", '"SecretAccessKey": "@@"', some(40, ALNUM + "/+"))
_name("aws session", "AWS_SESSION_TOKEN=@@", some(300, ALNUM + "/+"))
_name("azure storage", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=@@;", some(86, ALNUM + "/+") + "==")
_name("azure bus", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey=@@", some(43, ALNUM + "/+") + "=")
_name("azure sas", "https://x.blob.core.windows.net/c?sv=2022&sig=@@", some(43, ALNUM) + "%3D")
_name("twilio auth", "TWILIO_AUTH_TOKEN=@@", some(32, HEX))
_name("datadog", "DD_API_KEY: @@", some(32, HEX))
_name("postgres", "postgresql://overlord:@@@db.internal:5432/app", "hunter2-" + some(8))
_name("mysql", "mysql+pymysql://root:@@@10.0.0.5/x", some(12))
_name("mongo", "mongodb+srv://app:@@@cluster0.abc.mongodb.net/?retryWrites=true", some(16))
_name("redis", "redis://:@@@cache:6379/0", some(20))
_name("amqp", "amqps://svc:@@@mq/vhost", some(14))
_name("git remote", "https://x-access-token:@@@github.com/acme/api.git", some(40))
_name("basic", "Authorization: Basic @@", base64.b64encode(f"ana:{some(12)}".encode()).decode())
_name("bearer", "authorization: Bearer @@", some(40))
_name("bearer in curl", "curl -H 'Authorization: Bearer @@' https://api", some(36))
_name("bearer in python", '{"Authorization": "Bearer @@"}', some(48))
_name("bot header", "Authorization: Bot @@", _discord())
_name("slack webhook", "https://hooks.slack.com/services/@@", f"T{some(9, UPPER)}/B{some(10, UPPER)}/{some(24)}")
_name("discord webhook", "https://discord.com/api/webhooks/1122334455667788/@@", some(68, URLSAFE))
_name(
    "teams webhook",
    "https://acme.webhook.office.com/@@",
    f"webhookb2/{_uuid()}@{_uuid()}/IncomingWebhook/{some(32, HEX)}",
)
_name("env api key", "ACME_API_KEY=@@", some(32))
_name("yaml client secret", "client_secret: '@@'", some(40))
_name("json password", '"password": "@@"', some(24))
_name("export token", 'export DEPLOY_TOKEN="@@"', some(40))
_name("cookie", "Cookie: session_id=@@", some(40))
_name("putty", "Private-Lines: 8\n@@\nPrivate-MAC: 00", "\n".join(some(64, ALNUM + "+/") for _ in range(8)))
_name("cut off key", "-" * 5 + "BEGIN RSA PRIVATE KEY" + "-" * 5 + "\n@@", "\n".join(some(64) for _ in range(3)))
_name(
    "key in a quote",
    "> " + "-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5 + "\n> @@\n> " + "-" * 5 + "END PRIVATE KEY" + "-" * 5,
    some(64),
)

FRAMES: dict[str, Callable[[str], str]] = {
    "alone": lambda secret: secret,
    "in a sentence": lambda secret: f"I used {secret} and it failed.",
    "in quotes": lambda secret: f'login("{secret}")',
    "as a variable": lambda secret: f"export X={secret}\necho done",
    "in json": lambda secret: json.dumps({"level": "error", "msg": f"bad credential {secret}"}),
    "in an address": lambda secret: f"GET https://api.example.org/v1?key={secret}&page=2 -> 401",
    "in a diff": lambda secret: f"+    value = '{secret}'\n-    value = None",
    "in code": lambda secret: f"`{secret}`",
    "in a traceback": lambda secret: f'  File "x.py", line 3, in f\n    call({secret!r})\nValueError: {secret}',
}


def corpus() -> Iterator[tuple[str, str, str]]:
    """A name, a text, and what may not be left of it: the secret, or any long part of it."""
    for name, secret in BARE.items():
        for frame, put in FRAMES.items():
            yield f"{name}, {frame}", put(secret), secret
    for name, (text, secret) in NAMED.items():
        yield name, text, secret


def encoded() -> Iterator[tuple[str, str]]:
    """Secrets in base64, as Kubernetes and HTTP carry them."""
    for name in ("github classic", "slack bot", "openai project", "aws id", "rsa key", "sendgrid"):
        yield name, f"token: {base64.b64encode(BARE[name].encode()).decode()}"
        yield f"{name}, with a user", f"auth={base64.b64encode(f'ana:{BARE[name]}'.encode()).decode()}"


def wrapped() -> Iterator[tuple[str, str, str]]:
    """Secrets that a terminal or a mail program broke in two."""
    for name in ("github classic", "slack bot", "openai project", "google api", "npm", "gitlab", "sendgrid", "pypi"):
        secret = BARE[name]
        for at in (len(secret) // 2, len(secret) // 3, len(secret) - 4):
            for break_ in ("\n", "\n    ", "\r\n", "\\\n", "\n> "):
                yield f"{name} at {at}", f"token: {secret[:at]}{break_}{secret[at:]} end", secret[at // 2 : at]
