"""What runs: jobs, leases, model calls, turns and pull requests."""
