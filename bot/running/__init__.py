"""Running: jobs, timers and everything that happens at a time."""
