"""From Slack payloads to deliveries."""
