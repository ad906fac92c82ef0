"""The kinds of decisions, one file each. `decisions/table.py` lists them, `bot/cards/kinds` has their words."""
