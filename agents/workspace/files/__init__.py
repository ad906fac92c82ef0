"""Files: safe paths, walking, removal, artefacts."""
