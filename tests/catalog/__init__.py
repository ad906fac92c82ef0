"""What people wrote down, read strictly."""
