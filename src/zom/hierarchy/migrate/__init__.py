"""Migrations: convert hierarchies to another format, in place or into another place."""
