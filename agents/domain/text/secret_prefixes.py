"""Tokens of smaller services, each known by how it begins: rows of the table in secret_shapes."""

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Whose it is, how it begins, what follows
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
