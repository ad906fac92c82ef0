"""Learning with leave: what goes wrong again and again, and what is proposed for it."""
