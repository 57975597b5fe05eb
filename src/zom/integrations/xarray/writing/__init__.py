"""What a dataset is as documents and chunks: encodings, layouts, regions, and the values on their way."""
