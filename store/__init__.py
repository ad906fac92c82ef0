"""The memory: facts and what follows from them, in SQLite or PostgreSQL. Knows the domain; decides nothing."""
