"""What came of runs, counted: by role, by kind of work and engine, by workflow, by task; and what follows from it."""
