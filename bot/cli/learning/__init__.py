"""Commands about what projects have learnt."""
