"""Find, read and compare the contents of a store, without changing anything."""
