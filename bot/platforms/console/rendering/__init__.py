"""From cards, diffs and graphs to HTML."""
