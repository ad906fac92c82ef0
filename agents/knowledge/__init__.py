"""Notes of a repository: read at a commit, ranked in memory."""
