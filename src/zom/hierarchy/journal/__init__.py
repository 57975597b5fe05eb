"""Journals: records of changes, kept in the store until done, to finish or undo them after a failure."""
