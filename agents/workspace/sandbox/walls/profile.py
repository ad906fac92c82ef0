"""What a gate and a minion may use up. Neither has a network: models are asked by the host."""

from agents.ports import Profile

MB = 1 << 20
GB = 1 << 30

GATE = Profile(
    name="gate",
    seconds=600,
    memory=2 * GB,
    cpus=1,
    processes=128,
    descriptors=512,
    disk=2 * GB,
    inodes=200_000,
    file=512 * MB,
    kept=MB // 2,
    output=256 * MB,
)

MINION = Profile(
    name="minion",
    seconds=1800,
    memory=4 * GB,
    cpus=2,
    processes=256,
    descriptors=512,
    disk=4 * GB,
    inodes=200_000,
    file=512 * MB,
    kept=MB // 4,
    output=256 * MB,
)
