"""What supervisors, the assessor and the planner of remaining work do after a fact."""
