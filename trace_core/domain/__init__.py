"""Frozen values: what the archive holds, what a run asks, finds and decides."""
