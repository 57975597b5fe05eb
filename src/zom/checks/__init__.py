"""Selectors, checks and rules as data, for templates and conventions."""
