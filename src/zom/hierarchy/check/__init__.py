"""Checks of documents, of stores and of the rules of conventions."""
