"""Skills: what they are, and how one comes to be, from a draft to its file."""
