"""The local web console: a chat platform of our own, and a window on every task and decision."""
