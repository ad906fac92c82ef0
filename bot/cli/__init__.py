"""The command line: one small module a command group. What is heavy is imported inside the command that needs it."""
