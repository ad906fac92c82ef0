"""The model gateway of programs in sandboxes."""
