"""What secrets look like: a table of shapes, each with the words without which it cannot be there.

No pattern may look far ahead in vain, or hostile text would cost the square of its length: after its first words a
shape takes a run of characters that always ends it, or a bounded number of them.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from agents.domain.text.secret_checks import (
    Check,
    always,
    credential,
    discord_token,
    is_invented_password,
    is_mixed_password,
    is_password,
    is_varied,
    no_code,
    random_looking,
)


@dataclass(frozen=True)
class Shape:
    name: str
    anchors: tuple[str, ...]  # in lower case: text without any of them is not searched
    pattern: str
    check: Check
    wraps: bool = False  # long enough, and odd enough, to be known when a line break was put into it

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern)


_START = r"(?<![A-Za-z0-9])"
_AFTER = r"(?<![A-Za-z0-9].)"  # the same, one character later: so the search can leap to that character
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def _prefixed(name: str, prefix: str, rest: str, check: Check = is_varied) -> Shape:
    """A word that no other text has, and what follows it."""
    return Shape(
        name=name,
        anchors=(prefix.lower(),),
        # the look back comes after the prefix, so that the search can leap from one to the next
        pattern=f"{re.escape(prefix)}(?<![A-Za-z0-9]{re.escape(prefix)}){rest}",
        check=check,
        wraps=len(prefix) >= 3,
    )


def _named(name: str, words: str, rest: str, check: Check = is_varied) -> Shape:
    """A value that is known by the name it is given; `words` are alternatives."""
    anchors = tuple(word.replace("[_-]?", "_").replace("w(?:or)?d", "") for word in words.split("|"))
    spellings = tuple(each for word in anchors for each in (word, word.replace("_", "-"), word.replace("_", "")))
    between = r"""["'`]?\s{0,3}(?:[:=]|=>|:=)\s{0,3}["'`]?"""
    pattern = f"(?i:(?:{words})){between}(?P<secret>{rest})"
    return Shape(name=name, anchors=tuple(dict.fromkeys(spellings)), pattern=pattern, check=check)


_SEP = r"""(?:\\{1,4}[nr]|[\s"'>|,])"""
_B64 = r"[A-Za-z0-9+/=]"
_HEADERS = r"(?:[A-Z][A-Za-z-]{1,20}: [^\n]{0,100}\n){0,5}"
_BODY = rf"{_SEP}{{0,40}}{_B64}{{16,}}(?:{_SEP}{{1,40}}{_B64}{{16,}})*(?:{_SEP}{{1,40}}{_B64}{{1,80}})?"

_PASSWORDS = ("passw", "passphrase", "pwd", "secret_key", "secret-key", "secretkey")

# Tokens of smaller services, each known by how it begins: whose it is, how it begins, what follows.
SURE: tuple[tuple[str, str, str], ...] = (
    # models and what is around them
    ("OpenAI admin key", "sk-admin-", r"[\w-]{20,}"),
    ("Langfuse key", "sk-lf-", _UUID),
    ("LangSmith key", "lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("Pinecone key", "pcsk_", r"\w{40,}"),
    ("Cerebras key", "csk-", "[a-z0-9]{40,}"),
    ("NVIDIA key", "nvapi-", r"[\w-]{60,}"),
    ("Together key", "tgp_v1_", r"[\w-]{40,}"),
    ("Tavily key", "tvly-", "[A-Za-z0-9-]{30,}"),
    ("Firecrawl key", "fc-", "[0-9a-f]{32}"),
    ("E2B key", "e2b_", "[0-9a-f]{40}"),
    ("ElevenLabs key", "sk_", "[0-9a-f]{48}"),
    ("Bedrock key", "ABSK", "[A-Za-z0-9+/=]{100,}"),
    # forges, registries, builds
    *(
        (f"GitLab {kind} token", f"{prefix}-", r"[\w.-]{20,}")
        for kind, prefix in (
            ("job", "glcbt"), ("feed", "glft"), ("agent", "glagent"), ("application", "gloas"),
            ("mail", "glimt"), ("SCIM", "glsoat"), ("flag", "glffct"),
        )
    ),
    ("Buildkite token", "bkua_", "[0-9a-f]{40}"),
    ("CircleCI token", "CCIPAT_", r"\w{40,}"),
    ("Artifactory key", "AKCp", "[A-Za-z0-9]{60,}"),
    ("Sourcegraph token", "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    *(("SonarQube token", prefix, "[0-9a-f]{40}") for prefix in ("sqp_", "squ_", "sqa_")),
    ("Prefect key", "pnu_", "[A-Za-z0-9]{36}"),
    ("Prefect bot key", "pnb_", "[A-Za-z0-9]{36}"),
    ("ReadMe key", "rdme_", "[a-z0-9]{70}"),
    # clouds
    ("Tailscale key", "tskey-", r"(?:auth|api|client|scim|webhook)-[\w-]{20,}"),
    ("DigitalOcean Spaces key", "DO00", "[A-Z0-9]{16}"),
    ("Neon key", "napi_", "[a-z0-9]{60,}"),
    ("Fly token", "fo1_", r"[\w-]{43}"),
    ("Vercel token", "vercel_blob_rw_", r"\w{40,}"),
    ("PlanetScale OAuth token", "pscale_oauth_", r"[\w.-]{30,}"),
    ("Dynatrace token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    *(("Doppler token", f"dp.{kind}.", r"[\w.-]{40,}") for kind in ("st", "sa", "ct", "scim", "audit")),
    ("LaunchDarkly key", "sdk-", _UUID),
    ("LaunchDarkly token", "api-", _UUID),
    # money, mail, forms
    ("EasyPost key", "EZAK", "[A-Za-z0-9]{54}"),
    ("EasyPost test key", "EZTK", "[A-Za-z0-9]{54}"),
    ("Plaid token", "access-", rf"(?:sandbox|development|production)-{_UUID}"),
    ("Razorpay key", "rzp_live_", "[A-Za-z0-9]{14}"),
    ("Razorpay test key", "rzp_test_", "[A-Za-z0-9]{14}"),
    ("MailerSend key", "mlsn.", "[0-9a-f]{64}"),
    ("HubSpot token", "pat-", rf"(?:na|eu|ap)\d-{_UUID}"),
    ("Intercom token", "dG9rOg", "[A-Za-z0-9+/=]{40,}"),
    ("Typeform token", "tfp_", r"[\w-]{40,}"),
    ("Contentful token", "CFPAT-", r"[\w-]{43}"),
    ("Frame.io token", "fio-u-", r"[\w-]{60,}"),
    ("Zoho token", "1000.", r"[0-9a-f]{32}\.[0-9a-f]{32}"),
    ("Mapbox token", "sk.eyJ", r"[\w-]{20,}\.[\w-]{20,}"),
    ("Facebook token", "EAACEdEose0cBA", "[A-Za-z0-9]{20,}"),
)  # fmt: skip

# The beginning is a common one, so what follows must look like chance.
RANDOM: tuple[tuple[str, str, str], ...] = (
    ("Square access token", "EAAA", r"[\w-]{56,64}"),
    ("NuGet key", "oy2", "[a-z0-9]{43}"),
    ("Infracost key", "ico-", "[A-Za-z0-9]{32}"),
    ("Yandex key", "AQVN", r"[\w-]{36,}"),
    ("GitHub app token", "v1.", "[0-9a-f]{40}"),
    ("Render key", "rnd_", "[A-Za-z0-9]{28,}"),
    ("Fireworks key", "fw_", "[A-Za-z0-9]{24}"),
    ("Voyage key", "pa-", r"[\w-]{43}"),
)

# Tokens of chats and forges, and our own variables, are no keys of a model: its server would be sent them.
OTHERS_KEY = r"(?i)(SLACK|DISCORD|GITHUB|GH|GITLAB|GL|BITBUCKET|GITEA|FORGEJO|CI|OVERLORD)_(?!(\w+_)?API_KEY$)\w+"
# Of Slack, GitHub and GitLab
TOKEN_BEGINNINGS = ("xoxb-", "xoxp-", "xoxe", "xapp-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-")

SHAPES: tuple[Shape, ...] = (
    # private keys, whole
    Shape(
        "private key",
        ("private key",),
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----{_SEP}{{0,40}}{_HEADERS}{_BODY}"
        rf"(?:{_SEP}{{0,40}}-----END [A-Z0-9 ]{{0,60}}-----)?",
        always,
    ),
    Shape("PuTTY key", ("private-lines",), rf"Private-Lines: \d{{1,4}}{_BODY}", always),
    _prefixed("age key", "AGE-SECRET-KEY-1", "[0-9A-Z]{50,}"),
    # models
    _prefixed("Anthropic key", "sk-ant-", r"[\w-]{20,}"),
    _prefixed("OpenAI project key", "sk-proj-", r"[\w-]{20,}"),
    _prefixed("OpenAI service key", "sk-svcacct-", r"[\w-]{20,}"),
    _prefixed("OpenRouter key", "sk-or-v1-", r"[0-9a-f]{40,}"),
    _prefixed("OpenAI key", "sk-", r"[A-Za-z0-9]{20,}", random_looking),
    _prefixed("Google key", "AIza", r"[\w-]{35}"),
    _prefixed("Google OAuth token", "ya29.", r"[\w-]{20,}"),
    _prefixed("Google client secret", "GOCSPX-", r"[\w-]{20,}"),
    _prefixed("Hugging Face token", "hf_", r"[A-Za-z0-9]{30,}", random_looking),
    _prefixed("Replicate token", "r8_", r"[A-Za-z0-9]{35,}"),
    _prefixed("Groq key", "gsk_", r"[A-Za-z0-9]{40,}"),
    _prefixed("xAI key", "xai-", r"[A-Za-z0-9]{60,}"),
    _prefixed("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,}"),
    # chat
    Shape(
        "Slack token",
        ("xox",),
        r"xox(?<![A-Za-z0-9]xox)(?:[abposr]|e\.xox[bp]|e|c|d)-[\w%-]{10,}",
        is_varied,
        wraps=True,
    ),
    _prefixed("Slack app token", "xapp-", r"\d-[\w-]{10,}"),
    Shape(
        "Slack webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?P<secret>(?:services|workflows|triggers)/[\w/+-]{20,})",
        is_varied,
    ),
    Shape("Discord token", (".",), r"[MNO]" + _AFTER + r"[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}", discord_token),
    Shape("Discord webhook", ("/api/webhooks/",), r"/api/webhooks/\d{5,25}/(?P<secret>[\w-]{50,})", is_varied),
    Shape("Telegram token", (":aa",), _START + r"\d{8,10}:AA[\w-]{33}", is_varied),
    Shape(
        "Teams webhook", ("webhook.office.com",), r"webhook\.office\.com/(?P<secret>webhookb2/[\w@/-]{40,})", is_varied
    ),
    # forges and registries
    *(_prefixed("GitHub token", f"gh{kind}_", "[A-Za-z0-9]{30,}") for kind in "pousr"),
    _prefixed("GitHub fine-grained token", "github_pat_", r"\w{22,}"),
    _prefixed("GitLab token", "glpat-", r"[\w.-]{20,}"),
    _prefixed("GitLab runner token", "glrt-", r"[\w.-]{20,}"),
    _prefixed("GitLab deploy token", "gldt-", r"[\w.-]{20,}"),
    _prefixed("GitLab trigger token", "glptt-", "[0-9a-f]{40}"),
    _prefixed("GitLab runner registration", "GR1348941", r"[\w-]{20,}"),
    _prefixed("Bitbucket app password", "ATBB", r"[A-Za-z0-9]{24,}", random_looking),
    _prefixed("Atlassian token", "ATATT3", r"[\w=-]{100,}"),
    _prefixed("npm token", "npm_", "[A-Za-z0-9]{36}"),
    _prefixed("PyPI token", "pypi-", r"[\w-]{50,}"),
    _prefixed("RubyGems key", "rubygems_", "[0-9a-f]{48}"),
    _prefixed("crates.io token", "cio", "[A-Za-z0-9]{32}", random_looking),
    _prefixed("Docker token", "dckr_pat_", r"[\w-]{20,}"),
    _prefixed("Docker organization token", "dckr_oat_", r"[\w-]{20,}"),
    # clouds
    *(_prefixed("AWS key id", kind, r"[A-Z2-7]{16}(?![A-Za-z0-9])") for kind in ("AKIA", "ASIA", "ABIA", "ACCA")),
    _named(
        "AWS secret key", "secret[_-]?access[_-]?key|secret[_-]?key|aws[_-]?secret", r"[A-Za-z0-9/+]{40,}", is_varied
    ),
    _named("AWS session token", "session[_-]?token", r"[A-Za-z0-9/+=]{100,}"),
    _named("Azure key", "accountkey|sharedaccesskey|shared[_-]?access[_-]?key", r"[A-Za-z0-9/+]{40,}={0,2}"),
    Shape("Azure client secret", ("8q~",), _START + r"\w{3}8Q~[\w.~-]{31,34}", is_varied),
    Shape("Azure signature", ("sig=",), r"[?&]sig=(?P<secret>[A-Za-z0-9%+/]{40,}=?)", is_varied),
    _prefixed("DigitalOcean token", "dop_v1_", "[0-9a-f]{64}"),
    _prefixed("DigitalOcean OAuth token", "doo_v1_", "[0-9a-f]{64}"),
    _prefixed("DigitalOcean refresh token", "dor_v1_", "[0-9a-f]{64}"),
    _prefixed("Alibaba key id", "LTAI", "[A-Za-z0-9]{16,24}", random_looking),
    _prefixed("Heroku key", "HRKU-", _UUID),
    _prefixed("Fly token", "FlyV1 fm2_", r"[\w+/=,-]{40,}"),
    _prefixed("Netlify token", "nfp_", "[A-Za-z0-9]{36}"),
    _prefixed("Cloudflare origin key", "v1.0-", r"[0-9a-f]{20,30}-[0-9a-f]{100,}"),
    Shape("Terraform token", ("atlasv1",), r"\w{14}\.atlasv1\.[\w=-]{60,}", is_varied),
    _prefixed("Vault token", "hvs.", r"[\w-]{20,}"),
    _prefixed("Vault batch token", "hvb.", r"[\w-]{20,}"),
    _prefixed("Pulumi token", "pul-", "[0-9a-f]{40}"),
    _prefixed("Databricks token", "dapi", "[0-9a-f]{32}"),
    _prefixed("Supabase key", "sbp_", "[0-9a-f]{40}"),
    _prefixed("PlanetScale password", "pscale_pw_", r"[\w.-]{30,}"),
    _prefixed("PlanetScale token", "pscale_tkn_", r"[\w.-]{30,}"),
    # money, mail, telephones
    *(
        _prefixed("Stripe key", f"{kind}_{mode}_", "[A-Za-z0-9]{20,}", random_looking)
        for kind in ("sk", "rk", "pk")
        for mode in ("live", "test")
    ),
    _prefixed("Stripe webhook secret", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    _prefixed("Square token", "sq0atp-", r"[\w-]{22}"),
    _prefixed("Square secret", "sq0csp-", r"[\w-]{43}"),
    _prefixed("PayPal token", "access_token$production$", r"[0-9a-z]{16}\$[0-9a-f]{32}", always),
    _prefixed("Shopify token", "shpat_", "[0-9a-fA-F]{32}"),
    _prefixed("Shopify secret", "shpss_", "[0-9a-fA-F]{32}"),
    _prefixed("SendGrid key", "SG.", r"[\w-]{22}\.[\w-]{43}"),
    _prefixed("Mailgun key", "key-", "[0-9a-f]{32}"),
    Shape("Mailchimp key", ("-us",), r"[0-9a-f]" + _AFTER + r"[0-9a-f]{31}-us\d{1,2}", is_varied),
    _prefixed("Brevo key", "xkeysib-", r"[0-9a-f]{64}-\w{16}"),
    _prefixed("Resend key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    _prefixed("Twilio key", "SK", "[0-9a-f]{32}"),
    _named("Twilio token", "auth[_-]?token", "[0-9a-f]{32}"),
    # tools
    _prefixed("Linear key", "lin_api_", "[A-Za-z0-9]{40}"),
    _prefixed("Notion token", "ntn_", "[A-Za-z0-9]{40,}"),
    _prefixed("Notion secret", "secret_", "[A-Za-z0-9]{43}", random_looking),
    _prefixed("Figma token", "figd_", r"[\w-]{40,}"),
    _prefixed("Postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _prefixed("Grafana token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-f]{8}"),
    _prefixed("Grafana cloud token", "glc_", r"[A-Za-z0-9+/=]{40,}"),
    _prefixed("New Relic key", "NRAK-", "[A-Z0-9]{27}"),
    _prefixed("Sentry token", "sntrys_", r"[\w+/=-]{40,}"),
    _prefixed("Sentry user token", "sntryu_", "[0-9a-f]{64}"),
    _prefixed("Doppler token", "dp.pt.", "[A-Za-z0-9]{40,}"),
    _prefixed("1Password token", "ops_eyJ", r"[\w+/=-]{100,}"),
    _prefixed("Airtable token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _named("Datadog key", "dd[_-]?api[_-]?key|dd[_-]?app[_-]?key", "[0-9a-f]{32,40}"),
    # shapes that many share
    Shape("JSON web token", ("eyj",), r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*){0,3}", always),
    Shape("encrypted web token", ("eyj",), r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]*\.[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}", always),
    Shape(
        "password in an address",
        ("://",),
        r"""(?<=://)[^\s/@:"'`<>]{0,100}:(?P<secret>[^\s/@"'`<>]{1,200})(?=@[\w\[.-])""",
        is_password,
    ),
    Shape(
        "authorization",
        ("authorization",),
        r"""(?i:authorization)["'`]?\s{0,3}[:=,]\s{0,3}["'`]?(?i:bearer|basic|token|bot|digest|apikey|ssws)?\s{0,3}"""
        r"(?P<secret>[A-Za-z0-9._~+/=%-]{8,})",
        credential,
    ),
    Shape("bearer", ("bearer",), r"(?i:bearer) (?P<secret>[A-Za-z0-9._~+/=%-]{12,})", credential),
    _named(
        "named secret",
        "api[_-]?key|secret|token|passw(?:or)?d|credential|private[_-]?key|access[_-]?key|secret[_-]?key"
        "|encryption[_-]?key|signing[_-]?key|passphrase",
        r"[A-Za-z0-9+/_=~-]{20,}",
        random_looking,
    ),
    _named("cookie", "cookie", r"(?:session|sid|auth)[\w-]{0,20}=[A-Za-z0-9%._~+/=-]{16,}", random_looking),
    # what people choose or tools write down
    Shape(
        "password in quotes",
        _PASSWORDS,
        r"""(?i:passw(?:or)?d|passphrase|pwd|secret[_-]?key)["'`]?\s{0,3}(?:[:=]|=>|:=)\s{0,3}"""
        r"""(?P<quote>["'`])(?P<secret>[^\s"'`]{8,80})(?P=quote)""",
        is_invented_password,
    ),
    Shape(
        "password in a setting",
        _PASSWORDS,
        r"(?i:passw(?:or)?d|passphrase|pwd)(?:=|:[ \t]{1,3})(?P<secret>[\w!@#%^&*+=~?/-]{8,80})(?=[\s;,&]|$)",
        is_invented_password,
    ),
    Shape(
        "password in a connection",
        _PASSWORDS,
        r""";[ ]?(?i:password|pwd)[ ]?=[ ]?(?P<secret>[^;\s"'`]{4,80})""",
        no_code,
    ),
    Shape(
        "password in netrc",
        ("login",),
        r"login\s{1,5}\S{1,100}\s{1,5}password\s{1,5}(?P<secret>\S{4,100})",
        is_password,
    ),
    Shape(
        "password for curl",
        ("-u ", "--user "),
        r"""(?:\s-u|--user) {1,3}["']?[^\s:"'/]{1,60}:(?P<secret>[^\s"'@/]{4,100})""",
        is_mixed_password,
    ),
    Shape(
        "login in a file",
        ('"auth"', "_auth"),
        r"""(?:"auth"\s{0,3}:\s{0,3}"|\b_auth\s{0,3}=\s{0,3}"?)(?P<secret>[A-Za-z0-9+/]{12,}={0,2})""",
        credential,
    ),
    Shape("private web key", ('"d"',), r'"d"\s{0,3}:\s{0,3}"(?P<secret>[\w-]{40,})"', random_looking),
    Shape("Firebase key", (":apa91b",), r"AAAA[\w-]{7}:APA91b[\w-]{100,}", is_varied, wraps=True),
    _prefixed("Django key", "django-insecure-", r"""[^\s"'`]{20,100}""", always),
    *(_prefixed(name, prefix, rest) for name, prefix, rest in SURE),
    *(_prefixed(name, prefix, rest, random_looking) for name, prefix, rest in RANDOM),
)
