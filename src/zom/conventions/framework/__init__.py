"""The framework of conventions: attributes, rules as data, selectors, checks, and how they are judged."""
