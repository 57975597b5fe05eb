"""Build documents from shapes and types, existing arrays, or nested mappings."""
