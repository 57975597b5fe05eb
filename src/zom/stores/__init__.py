"""Stores: bytes by key, wherever people keep them."""
