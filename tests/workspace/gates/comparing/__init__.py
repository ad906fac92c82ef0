"""What is new against what was there before."""
