"""Pictures as SVG: grids of chunks, sizes, elements. Each has a title and a description in words."""
