"""Learning with leave: proposals and skills."""
