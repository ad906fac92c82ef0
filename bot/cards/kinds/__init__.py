"""Every word that people read about a decision, one file a kind, as in `agents/domain/decisions/kinds`."""
