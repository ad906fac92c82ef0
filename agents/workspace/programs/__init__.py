"""Command-line agents of others on this machine: finding them, and installing them into a layer that nobody writes."""
