"""Tests that we plant among a project's own: whoever reports them otherwise than they end is not believed."""
