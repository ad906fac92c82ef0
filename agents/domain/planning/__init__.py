"""Planning: the drafted subtasks, the reviewers, their debate, and the approval."""
