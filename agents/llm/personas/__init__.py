"""Roles as models meet them: what they are told beside the usual."""
