"""What is said of a plan on cards besides the plan itself."""
