"""What a project has learnt, as short notes in its repository."""
