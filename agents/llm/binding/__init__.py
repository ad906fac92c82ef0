"""What decoding is bound to, where a provider can do that."""
