"""The same tasks by a model or by rules."""
