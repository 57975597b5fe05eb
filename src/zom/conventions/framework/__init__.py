"""The framework of conventions: models of attributes, detection, judgement, and reported findings."""
