"""Whether what was agreed on holds: interfaces, validated by the tools of their languages."""
