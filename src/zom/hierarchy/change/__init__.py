"""Changes of what lies in a store: planned, checked, and applied whole or not at all."""
