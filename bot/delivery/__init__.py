"""Delivery: facts become messages, which are sent in order and once."""
