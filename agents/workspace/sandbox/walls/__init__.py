"""The walls of a sandbox: mounts, namespaces, system calls, owners."""
