"""Runs programs that nobody trusts, behind walls that are tried before they are relied on."""
