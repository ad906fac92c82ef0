"""From Discord events to deliveries."""
