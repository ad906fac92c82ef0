"""The work beside what was there before: only what is new counts, for it and against it."""
