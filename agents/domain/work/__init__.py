"""Work on subtasks: runs of minions, what they may write, and what they came to."""
