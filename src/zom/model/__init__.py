"""The object model: what a hierarchy is, as documents, without any I/O."""
