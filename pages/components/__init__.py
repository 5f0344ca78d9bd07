"""What more than one page shows: verdicts, passages, plans, charts, and the session itself."""
