"""Built in grids."""
