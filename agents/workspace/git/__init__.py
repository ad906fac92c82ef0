"""Git: our copies of repositories, working folders, branches and diffs."""
