"""What projects need installed: found in their files, set up once with a network, and offline ever after."""
