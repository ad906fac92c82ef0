"""A port to listen on that is known before anybody listens."""

import random
import socket


def free_port() -> int:
    """One that no outgoing connection is given by chance, so it is still free when it is wanted, and later again."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 200):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("200 ports in a row are taken")
