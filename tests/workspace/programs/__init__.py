"""Programs of others on this machine."""
