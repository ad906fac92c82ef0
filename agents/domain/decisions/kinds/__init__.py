"""The kinds of decisions, one file each. `decisions/table.py` lists them."""
