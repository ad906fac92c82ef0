"""A phase of a plan that begins anew, or is taken back."""
