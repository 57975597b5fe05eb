"""Writing datasets as documents and chunks: encodings, layouts, regions and value transfers."""
