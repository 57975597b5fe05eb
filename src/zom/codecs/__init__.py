"""Built in codecs."""
