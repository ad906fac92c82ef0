"""The part that talks and wires: chat platforms, cards, jobs, and the program put together."""
