"""Forms of the console that have more to them than words: signing in, comments on lines, tables."""
