"""What supervisors count, find and ask for."""
