"""Programs that take too much, one for each way to take it. Each stops by itself at a few hundred megabytes."""

import textwrap

from agents.ports import EndedBy

# Memory that is in nobody's RSS.
SOCKETS = """
    import os, socket, time
    kept = []
    for _ in range(8):
        if os.fork() == 0: break
    for _ in range(110):
        for one, other in (pair := socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM), pair[::-1]):
            one.setblocking(False); kept.append(one)
            try:
                for _ in range(400): one.send(b"x" * 16)
            except OSError: pass
    print("taken", flush=True); time.sleep(600)
"""
EMPTY_FILES = """
    import os, time
    for folder in ("/tmp", "/dev/shm", os.environ["HOME"]):
        try:
            for number in range(160_000): os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
        except OSError: pass
    print("taken", flush=True); time.sleep(600)
"""
PAGE_TABLES = """
    import mmap, time
    size = 160 << 30
    space = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)
    for at in range(0, size, 2 << 20): space[at]
    print("taken", flush=True); time.sleep(600)
"""
MESSAGES = """
    import ctypes, time
    libc, text = ctypes.CDLL(None), ctypes.create_string_buffer(b"\\1" + bytes(8 + 8000))
    for _ in range(16_000):
        queue = libc.msgget(0, 0o1600)
        while libc.msgsnd(queue, text, 8000, 0o4000) == 0: pass
    print("taken", flush=True); time.sleep(600)
"""
MANY_PROCESSES = """
    import os, time
    for _ in range(6):
        if os.fork() == 0: break
    block = os.urandom(1 << 20) * 60
    print("taken", flush=True); time.sleep(600)
"""

# Space and names on the disk.
FILES = """
    import os, time
    for number in range(32):
        with open(f"f{number}", "wb") as file: file.write(os.urandom(1 << 20) * 8)
    print("taken", flush=True); time.sleep(600)
"""
NAMES = """
    import os, time
    for number in range(30_000): os.mkdir(f"d{number}")
    print("taken", flush=True); time.sleep(600)
"""
NESTED = """
    import os, time
    for number in range(3_000): os.mkdir("d"); os.chdir("d")
    for number in range(4):
        with open(f"f{number}", "wb") as file: file.write(os.urandom(1 << 20) * 24)
    print("taken", flush=True); time.sleep(600)
"""

HIDDEN = {"sockets": SOCKETS, "empty files": EMPTY_FILES, "page tables": PAGE_TABLES, "messages": MESSAGES}
MEMORY = {**HIDDEN, "many processes": MANY_PROCESSES}
DISK = {"files": FILES, "names": NAMES, "nested folders": NESTED}


def python(code: str) -> list[str]:
    return ["python3", "-c", textwrap.dedent(code)]


def expected(name: str) -> EndedBy:
    return EndedBy.MEMORY if name in MEMORY else EndedBy.DISK


# What is only refused: nothing is ended for it.
PROCESSES = """
    import os, time
    made = 0
    try:
        while made < 2_000:
            if os.fork() == 0: time.sleep(600)
            made += 1
    except OSError: print(made, flush=True)
    time.sleep(600)
"""
DESCRIPTORS = """
    import os
    opened = 0
    try:
        while opened < 100_000: os.dup(0); opened += 1
    except OSError: print(opened, flush=True)
"""
REFUSED = {"processes": PROCESSES, "descriptors": DESCRIPTORS}
