"""The framework of conventions: models of attributes, detection, judgement, and what is told of them."""
