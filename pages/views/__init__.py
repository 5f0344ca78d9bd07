"""One file a page. A page reads the façade, shows it, and hands every wish back to it."""
