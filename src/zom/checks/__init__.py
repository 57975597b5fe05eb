"""What templates and conventions are checked with: selectors, checks and rules as data."""
