"""Extensions: what a codec, a data type, a chunk grid and a chunk key encoding are, and how they are registered."""
