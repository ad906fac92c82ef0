"""The part that decides and does: pure rules, thin flows, and the adapters the flows act through."""
