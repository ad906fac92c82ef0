"""Runs inside the sandbox as `python -IS -c …`: starts one command after the other, as the host says.

It shares its user with the programs it starts, so the host believes nothing it says beyond what such a program may
choose itself: its exit code. Only modules that load within milliseconds are imported.
"""

import _socket as socket
import ctypes
import os
import select
import sys

LARGEST = 1 << 20
NICE = 10  # as in running.py: an engine starts us as important as the bot
IGNORED_BY_PYTHON = (13, 25)  # SIGPIPE and SIGXFSZ: what we start must not ignore them too
_DESCRIPTOR = 4  # the size of one in a message
_SET_DUMPABLE, _SET_SECCOMP, _FILTER = 4, 22, 2  # of prctl


def main() -> None:
    if os.getpid() != 1:
        raise SystemExit("this ends every process it sees, so it runs only as the first of a sandbox")
    score = os.open("/proc/self/oom_score_adj", os.O_RDWR)  # when we are not dumpable it is not ours to open
    lock_down(sys.argv[3])
    os.nice(max(0, NICE - os.nice(0)))
    control = connect(sys.argv[1])
    port = int(sys.argv[2])
    if port:
        door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        door.bind(("127.0.0.1", port))
        door.listen(64)
        control.sendmsg([b"ready"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, door.fileno().to_bytes(4, sys.byteorder))])
        door.close()
    else:
        control.sendmsg([b"ready"])
    while serve(control, score):
        pass


def lock_down(filter: str) -> None:
    """Before any other program runs: none may write our memory, nor ask the kernel for what the filter refuses.

    `filter` is the path of a system-call filter; empty where one was put on before us.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    if filter:
        with open(filter, "rb") as file:  # noqa: PTH123  pathlib takes longer to load than all this
            program = file.read()
        done = done or libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(Program(len(program) // 8, program)), 0, 0)
    if done != 0:
        raise SystemExit(f"prctl: {os.strerror(ctypes.get_errno())}")


class Program(ctypes.Structure):
    """struct sock_fprog: how many instructions, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def connect(to: str) -> socket.socket:
    """A descriptor that we inherited, or the path of a socket."""
    if to.isdigit():
        os.set_inheritable(int(to), False)
        return socket.socket(fileno=int(to))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(to)
    return control


def serve(control: socket.socket, score: int) -> bool:
    """One command. False if the host has gone."""
    data, ancillary, _, _ = control.recvmsg(LARGEST, socket.CMSG_SPACE(_DESCRIPTOR))
    if not data:
        return False
    output = int.from_bytes(ancillary[0][2][:_DESCRIPTOR], sys.byteorder)
    command = [os.fsdecode(part) for part in data.split(b"\0")]
    try:
        status = ending(start(command, output, score), control)
    except OSError as error:
        os.write(output, f"{command[0]}: {error.strerror}\n".encode())
        status = 127 if isinstance(error, FileNotFoundError) else 126
    os.close(output)
    end_the_rest()
    if status is not None:
        control.send(b"%d" % status)
    return status is not None


def start(command: list[str], output: int, score: int) -> int:
    """Its number. It is ended before us where memory runs out, for then it can be told why it ended."""
    into = [(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)]
    files = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), *into]
    plain = IGNORED_BY_PYTHON
    before = os.pread(score, 8, 0)
    os.write(score, b"1000")
    try:
        return os.posix_spawnp(command[0], command, os.environ, file_actions=files, setsid=True, setsigdef=plain)
    finally:
        os.write(score, before)


def ending(child: int, control: socket.socket) -> int | None:
    """The exit code as a shell tells it; None if the host died meanwhile."""
    if not wait_for_end(child, control):
        return None
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def wait_for_end(child: int, control: socket.socket) -> bool:
    """Waits for the child to end. False if the host went first."""
    ended = os.pidfd_open(child)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(control.fileno(), 0)  # its end is told unasked
    heard = {descriptor for descriptor, _ in waiting.poll()}
    os.close(ended)
    return ended in heard


def end_the_rest() -> None:
    """All but this process and the first of the sandbox; again until nothing is left to end."""
    while True:
        try:
            os.kill(-1, 9)
        except ProcessLookupError:
            return
        reap_children()


def reap_children() -> None:
    """The dead that were left to us: in a container this is the first process."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        os.sched_yield()


if __name__ == "__main__":
    main()
