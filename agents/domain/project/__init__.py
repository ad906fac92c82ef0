"""What outlives a task: people with their accounts, and how long things are kept."""
