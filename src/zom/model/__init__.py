"""The object model: hierarchies as documents, without I/O."""
