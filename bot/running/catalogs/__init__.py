"""What holds for the job at hand."""
