"""Who may open the console, and as whom."""
