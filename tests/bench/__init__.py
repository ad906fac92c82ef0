"""How fast Overlord is beside a floor or another tool, measured in one run: `make bench`."""
