"""SVG pictures of chunk grids, sizes and elements, each with a title and a description."""
