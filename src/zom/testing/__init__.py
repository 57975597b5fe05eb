"""What those who extend zom, or build on it, test with."""
