"""Pydantic support of specs: validation, dumping, JSON Schema, and errors."""
