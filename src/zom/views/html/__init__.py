"""HTML: pages and parts of pages, without scripts, and without anything that is fetched."""
