"""HTML: pages and fragments without scripts or external resources."""
