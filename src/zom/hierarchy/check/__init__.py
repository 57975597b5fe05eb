"""Checks of documents, stores and what conventions ask of them."""
