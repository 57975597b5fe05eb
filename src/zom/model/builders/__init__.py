"""Documents made from what a designer knows: shapes and types, arrays that exist, nested mappings."""
