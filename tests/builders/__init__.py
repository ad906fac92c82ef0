"""What tests are made of."""
