"""What one person is told alone, about themselves."""
