"""The system-call filter: what no program under judgement needs, refused by the kernel. Wants libseccomp."""

import ctypes
import errno
import os
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_EQUAL, _ABOVE, _MASKED = 4, 6, 7  # comparisons of libseccomp
_UNKNOWN = -1
_MEMORY = 1 << 16  # a larger System V segment is memory that nobody's RSS shows

NEW_NAMESPACES = (0x80, 0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
_FAMILIES = {1, 2, 10, 16}  # unix, inet, inet6, netlink: the others are attack surface
_TERMINAL = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX type into somebody else's terminal
# FS_IOC_RESVSP, its 64-bit and 32-bit forms, and FS_IOC_ZERO_RANGE: fallocate by another door
_RESERVING = (0x40305828, 0x4030582A, 0x402C5828, 0x402C582A, 0x40305839, 0x402C5839)

# Programs ask for these and go on without: they must think that the kernel is too old.
_ABSENT = ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret")
_REFUSED = (
    *("mount", "umount2", "umount", "pivot_root", "chroot", "move_mount", "open_tree", "mount_setattr"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "unshare", "setns", "open_by_handle_at", "name_to_handle_at"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "userfaultfd"),
    *("bpf", "perf_event_open", "keyctl", "add_key", "request_key", "syslog", "acct", "quotactl", "quotactl_fd"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff"),
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "ioperm", "iopl", "vhangup", "lookup_dcookie"),
    *("fanotify_init", "move_pages", "migrate_pages", "nfsservctl", "uselib", "vm86", "modify_ldt"),
)


class Rule(NamedTuple):
    call: str
    error: int
    argument: tuple[int, int, int, int] | None = None  # which one, how to compare, with what, and what again


class _Argument(ctypes.Structure):
    _fields_ = (
        ("number", ctypes.c_uint),
        ("compare", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def rules() -> Iterator[Rule]:
    yield from (Rule(call, errno.ENOSYS) for call in _ABSENT)
    yield from (Rule(call, errno.EPERM) for call in _REFUSED)
    yield from (Rule("clone", errno.EPERM, (0, _MASKED, flag, flag)) for flag in NEW_NAMESPACES)
    yield from (Rule("ioctl", errno.EPERM, (1, _MASKED, 0xFFFFFFFF, call)) for call in _TERMINAL)
    # Takes gigabytes before anybody can look. Programs then write, as on a filesystem that cannot do it.
    yield Rule("fallocate", errno.EOPNOTSUPP)
    yield from (Rule("ioctl", errno.EOPNOTSUPP, (1, _MASKED, 0xFFFFFFFF, call)) for call in _RESERVING)
    families = set(range(max(_FAMILIES))) - _FAMILIES
    yield from (Rule("socket", errno.EAFNOSUPPORT, (0, _EQUAL, family, 0)) for family in sorted(families))
    yield Rule("socket", errno.EAFNOSUPPORT, (0, _ABOVE, max(_FAMILIES), 0))
    yield Rule("shmget", errno.ENOMEM, (1, _ABOVE, _MEMORY, 0))


@cache
def program() -> bytes | None:
    """What the kernel is given; None where libseccomp is not installed."""
    try:
        library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    except OSError:
        return None
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
    try:
        for rule in rules():
            _add(library, context, rule)
        return _exported(library, context)
    finally:
        library.seccomp_release(context)


def _add(library: ctypes.CDLL, context: ctypes.c_void_p, rule: Rule) -> None:
    number = library.seccomp_syscall_resolve_name(rule.call.encode())
    if number == _UNKNOWN:
        return
    action = ctypes.c_uint32(_ERRNO | rule.error)
    if rule.argument is None:
        code = library.seccomp_rule_add_array(context, action, number, 0, None)
    else:
        code = library.seccomp_rule_add_array(context, action, number, 1, ctypes.byref(_Argument(*rule.argument)))
    if code != 0:
        raise OSError(-code, f"libseccomp refuses the rule for {rule.call}: {os.strerror(-code)}")


def _exported(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    descriptor = os.memfd_create("filter")
    try:
        code = library.seccomp_export_bpf(context, descriptor)
        if code != 0:
            raise OSError(-code, f"libseccomp exports nothing: {os.strerror(-code)}")
        os.lseek(descriptor, 0, os.SEEK_SET)
        return os.read(descriptor, 1 << 20)
    finally:
        os.close(descriptor)


def descriptor_of(content: bytes) -> int:
    """A descriptor to read it from, once."""
    made = os.memfd_create("overlord")
    os.write(made, content)
    os.lseek(made, 0, os.SEEK_SET)
    return made
