"""Cards of decisions about what is learnt."""
