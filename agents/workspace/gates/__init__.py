"""Gates: what the Overlord checks itself, on the committed tree, before it calls work good."""
