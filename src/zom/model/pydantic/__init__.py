"""What pydantic asks of specs: how they are validated, dumped and described, and how they fail."""
