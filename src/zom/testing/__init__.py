"""Test tools for extensions of zom, and for software that uses it."""
