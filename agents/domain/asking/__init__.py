"""Words that are no request for a change: questions about the code, commands in free words, talk."""
