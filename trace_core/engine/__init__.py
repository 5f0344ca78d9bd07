"""Which stage follows, who runs it, who answers at a checkpoint."""
