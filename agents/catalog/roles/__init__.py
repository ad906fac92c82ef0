"""Roles, packs and contexts as YAML, and the layers that they are written in."""
