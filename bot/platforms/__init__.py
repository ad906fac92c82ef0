"""Where the bot is met. One folder a platform; each translates at its edge and knows nothing of the others."""
