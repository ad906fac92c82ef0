"""Cards of questions about the code, and of messages that were no requests."""
