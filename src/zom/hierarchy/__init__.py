"""Hierarchies in stores: the keys of documents and chunks, opening one node, reading whole trees."""
