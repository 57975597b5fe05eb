"""Declarations: short documents in YAML, TOML or JSON that compile to specs."""
