"""Copies of hierarchies from one store to another."""
