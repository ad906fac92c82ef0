"""The two profiles of M228: a gate has no network, a minion only what is on its list."""

from agents.ports import Profile

MB = 1 << 20
GB = 1 << 30

MODEL_PROVIDERS = frozenset(
    {"api.anthropic.com:443", "api.openai.com:443", "generativelanguage.googleapis.com:443"}
)  # M228

GATE = Profile(
    name="gate",
    seconds=600,  # C29
    memory=2 * GB,
    cpus=1,
    processes=128,
    descriptors=512,
    disk=2 * GB,
    file=512 * MB,
    kept=MB // 2,
    output=256 * MB,
)

MINION = Profile(
    name="minion",
    seconds=1800,  # C29
    memory=4 * GB,
    cpus=2,
    processes=256,
    descriptors=512,
    disk=4 * GB,
    file=512 * MB,
    kept=MB // 4,
    output=256 * MB,
    egress=MODEL_PROVIDERS,
)
