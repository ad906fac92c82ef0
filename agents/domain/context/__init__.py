"""Context packs: what a minion or a reviewer is given to read, within a budget."""
