"""Migrations: hierarchies that get another format, in their place or in another."""
