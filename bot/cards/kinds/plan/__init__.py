"""Cards of decisions on the way to a plan."""
