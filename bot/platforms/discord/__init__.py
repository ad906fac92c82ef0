"""Discord: renderer, platform and gateway."""
