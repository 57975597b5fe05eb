"""The formats, one module each: fields, rules, and spellings of v2, v3 and the draft."""
