"""Words about decisions on the way to a plan."""
