"""Other forms in which people write workflows and plans, read into ours."""
