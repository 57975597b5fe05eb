"""JSON Schema of everything that zom models, for every other language."""
