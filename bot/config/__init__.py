"""Settings: the environment, overlord.yaml and the state folder."""
