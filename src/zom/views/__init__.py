"""What people look at: a spec as text and as a page."""
