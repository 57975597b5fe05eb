"""Journals: what a change is about to do, kept in the store until it is done, and finished or undone after a fault."""
