"""One file a format. Each offers `READER`; `trace_core.ingest.registry` lists them."""
