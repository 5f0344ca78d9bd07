"""Why a document is here or absent, and whether the record can be trusted."""
