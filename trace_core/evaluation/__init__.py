"""Questions with gold, measures, strategies, misses, ablation."""
