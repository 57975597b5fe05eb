"""Hierarchies as people write them: short documents in YAML, TOML or JSON, compiled to specs."""
