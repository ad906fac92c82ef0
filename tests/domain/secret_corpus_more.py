"""More secrets that nobody holds: of smaller services, and as people and tools write passwords down."""

import string
from collections.abc import Iterator

from tests.domain.secret_corpus import ALNUM, FRAMES, HEX, URLSAFE, some

SMALL = string.ascii_lowercase + string.digits
LARGE = string.ascii_uppercase + string.digits


def _uuid() -> str:
    return "-".join(some(count, HEX) for count in (8, 4, 4, 4, 12))


# By whose it is: how it begins, and what follows. Kept apart until run time, so that this file leaks nothing.
_BEGUN: dict[str, tuple[str, str]] = {
    "openai admin": ("sk-admin-", some(60, URLSAFE)),
    "anthropic admin": ("sk-ant-admin01-", some(90, URLSAFE)),
    "langfuse": ("sk-lf-", _uuid()),
    "langsmith": ("lsv2_pt_", f"{some(32, HEX)}_{some(10, HEX)}"),
    "langsmith service": ("lsv2_sk_", f"{some(32, HEX)}_{some(10, HEX)}"),
    "pinecone": ("pcsk_", f"{some(6)}_{some(60)}"),
    "cerebras": ("csk-", some(48, SMALL)),
    "nvidia": ("nvapi-", some(64, URLSAFE)),
    "together": ("tgp_v1_", some(43, URLSAFE)),
    "tavily": ("tvly-", some(32)),
    "firecrawl": ("fc-", some(32, HEX)),
    "e2b": ("e2b_", some(40, HEX)),
    "elevenlabs": ("sk_", some(48, HEX)),
    "bedrock": ("ABSK", some(120)),
    "gitlab job": ("glcbt-64_", some(20, URLSAFE)),
    "gitlab feed": ("glft-", some(20, URLSAFE)),
    "gitlab agent": ("glagent-", some(50, URLSAFE)),
    "gitlab application": ("gloas-", some(64, URLSAFE)),
    "buildkite": ("bkua_", some(40, HEX)),
    "circleci": ("CCIPAT_", f"{some(22)}_{some(40, HEX)}"),
    "artifactory": ("AKCp", some(69)),
    "sourcegraph": ("sgp_", some(40, HEX)),
    "sourcegraph instance": ("sgp_", f"{some(16, HEX)}_{some(40, HEX)}"),
    "sonarqube": ("sqp_", some(40, HEX)),
    "prefect": ("pnu_", some(36)),
    "readme": ("rdme_", some(70, SMALL)),
    "tailscale": ("tskey-auth-", f"{some(12)}-{some(32)}"),
    "neon": ("napi_", some(64, SMALL)),
    "fly organization": ("fo1_", some(43, URLSAFE)),
    "vercel": ("vercel_blob_rw_", f"{some(16)}_{some(30)}"),
    "planetscale oauth": ("pscale_oauth_", some(40, URLSAFE)),
    "dynatrace": ("dt0c01.", f"{some(24, LARGE)}.{some(64, LARGE)}"),
    "doppler service": ("dp.st.", some(43)),
    "launchdarkly": ("sdk-", _uuid()),
    "easypost": ("EZAK", some(54)),
    "plaid": ("access-sandbox-", _uuid()),
    "razorpay": ("rzp_live_", some(14)),
    "mailersend": ("mlsn.", some(64, HEX)),
    "hubspot": ("pat-na1-", _uuid()),
    "intercom": ("dG9rOg", some(54)),
    "typeform": ("tfp_", some(59, URLSAFE)),
    "contentful": ("CFPAT-", some(43, URLSAFE)),
    "frame.io": ("fio-u-", some(64, URLSAFE)),
    "zoho": ("1000.", f"{some(32, HEX)}.{some(32, HEX)}"),
    "mapbox": ("sk.eyJ", f"{some(60)}.{some(22)}"),
    "facebook": ("EAACEdEose0cBA", some(120)),
    "firebase": ("AAAA", f"{some(7)}:APA91b{some(134, URLSAFE)}"),
    "digitalocean spaces": ("DO00", some(16, LARGE)),
    "square access": ("EAAA", some(60)),
    "nuget": ("oy2", some(43, SMALL)),
    "yandex": ("AQVN", some(36)),
    "github app": ("v1.", some(40, HEX)),
    "render": ("rnd_", some(28)),
    "voyage": ("pa-", some(43)),
}

# By name: a text with a place for the secret, and the secret.
_WRITTEN: dict[str, tuple[str, str]] = {
    "okta": ("Authorization: SSWS @@", "00" + some(40)),
    "bearer with signs": ("Authorization: Bearer @@", f"AAAA{some(60)}%3D{some(40)}"),
    "heroku": ("HEROKU_API_KEY=@@", _uuid()),
    "npm": ("//registry.npmjs.org/:_authToken=@@", _uuid()),
    "npm, the old way": ("_auth=@@", f"{some(38)}=="),
    "docker login": ('{"auths": {"r.example": {"auth": "@@"}}}', f"{some(38)}=="),
    "api key in a header": ("x-api-key: @@", some(32)),
    "api key in an address": ("https://a.example/c?api_key=@@", some(32)),
    "wireguard": ("PrivateKey = @@", f"{some(43)}="),
    "long secret key": ("SECRET_KEY = '@@'", some(64, HEX)),
    "django": ("SECRET_KEY = 'django-insecure-@@'", "x$9w2k@p!v5&q8z#m3n7b(t1r)e6y4u0i"),
    "encryption key": ("ENCRYPTION_KEY=@@", f"{some(43)}="),
    "signing secret": ("SLACK_SIGNING_SECRET=@@", some(32, HEX)),
    "password of a database": ("DB_PASSWORD=@@", "S3cr3t!pass"),
    "password in yaml": ("password: @@", "Winter2024!x"),
    "password in json": ('"password": "@@"', "Tr0ub4dor&3"),
    "password in code": ('password = "@@"', "hunter2Hunter2"),
    "password of psql": ("PGPASSWORD=@@ psql", "abc123xyzQ"),
    "password of mysql": ("MYSQL_PWD=@@", "q8Kd!32x"),
    "passphrase": ("passphrase: @@", "Quick7Brown9Fox"),
    "password in a secret": ("  password: @@", "czNjcjN0UGFzc3cwcmQ="),
    "password in a connection": ("Server=db;User Id=sa;Password=@@;", "myStrong(!)Pw9"),
    "netrc": ("machine api.example login ana password @@", "f8Kq2LmZ9"),
    "curl": ("curl -u admin:@@ https://a.example", "Zx9Qw8Er7"),
    "cloudinary": ("cloudinary://123456789012345:@@@demo", some(27)),
    "web key": ('{"kty":"EC","x":"a","d":"@@"}', some(43)),
    "pgp": ("-" * 5 + "BEGIN PGP PRIVATE KEY BLOCK" + "-" * 5 + "\nVersion: GnuPG v2\n\n@@\n=abcd", some(64, ALNUM)),
}


def more() -> Iterator[tuple[str, str, str]]:
    """A name, a text, and what may not be left of it."""
    for name, (start, rest) in _BEGUN.items():
        for frame, put in FRAMES.items():
            yield f"{name}, {frame}", put(start + rest), start + rest
    for name, (text, secret) in _WRITTEN.items():
        yield name, text.replace("@@", secret), secret
