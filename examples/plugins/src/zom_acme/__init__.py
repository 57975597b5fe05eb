"""Extensions of zom, one file each; zom imports them by the entry points in pyproject.toml."""
