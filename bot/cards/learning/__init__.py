"""Messages about what is learnt."""
