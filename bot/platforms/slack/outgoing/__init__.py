"""From cards to Slack messages."""
