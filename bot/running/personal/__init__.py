"""What is sent to one person by the clock."""
