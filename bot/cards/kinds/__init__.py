"""Every word that people read about a kind of decision. A kind is in one file; kinds of one concept share it."""
