"""Built in chunk_keys."""
