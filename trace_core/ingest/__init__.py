"""From files to documents: readers, dates, chunks, the import report."""
