"""Text and numbers from outside: cleaned, read strictly, and with secrets taken out."""
