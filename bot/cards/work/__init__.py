"""Cards and rows about the work on subtasks."""
