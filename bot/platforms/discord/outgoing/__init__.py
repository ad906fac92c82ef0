"""From cards to Discord messages."""
