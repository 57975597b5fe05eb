"""Handles: arrays and groups, open on a store."""
