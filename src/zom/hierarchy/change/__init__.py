"""Changes of stored hierarchies: planned, checked, and applied completely or not at all."""
