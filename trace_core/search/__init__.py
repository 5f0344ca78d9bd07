"""One file a channel; fusion; everything that finds, nothing that decides."""
