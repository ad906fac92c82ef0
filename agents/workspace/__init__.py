"""The code bases and what is done to them on the host, which never runs anything of theirs."""
