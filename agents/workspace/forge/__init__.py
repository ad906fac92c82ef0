"""Where work is handed over: the user's own repository, or GitHub."""
