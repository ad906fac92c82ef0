"""`overlord doctor` and its checks."""
