"""Words about decisions while a plan is carried out."""
