r"""Regular expressions for JSON Schema that mean the same in ECMA-262 and in Python.

A pattern for a whole text ends in `(?!\n)$`, because Python's "$" also matches before a final newline.
No pattern uses `\d`, `\s` or `\w`, which match more in Python than in ECMA-262.
"""

from __future__ import annotations

__all__ = ["BASE64", "base64_up_to", "either", "hexadecimal", "up_to", "whole"]


def whole(pattern: str) -> str:
    r"""Return a pattern that matches only if `pattern` matches the whole text.

    >>> whole("a|b")
    '^(?:a|b)(?!\\n)$'
    """
    return f"^(?:{pattern})(?!\\n)$"


def either(texts: list[str]) -> str:
    r"""Return a pattern that matches exactly these texts.

    >>> either(["+Infinity", "r*"])
    '\\+Infinity|r\\*'
    """
    return "|".join("".join(f"\\{c}" if c in "\\^$.*+?()[]{}|/" else c for c in text) for text in texts)


def up_to(most: int) -> str:
    """Return a pattern for the integers from 1 to `most`, without leading zeros.

    >>> up_to(213)
    '[1-9]|[1-9][0-9]|1[0-9]{2}|20[0-9]|21[0-3]'
    """
    digits = str(most)
    options = [f"[1-9]{_digits(count)}" for count in range(len(digits) - 1)]
    for place, digit in enumerate(digits):
        least, last = int(place == 0), place == len(digits) - 1
        most_here = int(digit) - (not last)
        if most_here >= least:
            span = str(least) if least == most_here else f"[{least}-{most_here}]"
            options.append(digits[:place] + span + _digits(len(digits) - 1 - place))
    return "|".join(options)


def _digits(count: int) -> str:
    return "" if not count else "[0-9]" if count == 1 else f"[0-9]{{{count}}}"


_ONE = "[A-Za-z0-9+/]"
BASE64 = whole(f"(?:{_ONE}{{4}})*(?:{_ONE}{{2}}==|{_ONE}{{3}}=)?")
"""The pattern of standard base64."""


def base64_up_to(size: int) -> str:
    """Return the pattern of standard base64 of at most `size` bytes.

    >>> import re
    >>> [bool(re.search(base64_up_to(2), text)) for text in ("", "YQ==", "YWI=", "YWJj")]
    [True, True, True, False]
    """
    groups, rest = divmod(size, 3)
    tails = [f"{_ONE}{{2}}==", f"{_ONE}{{3}}="]
    full = f"(?:{_ONE}{{4}})"
    options = [f"{full}{{{groups}}}(?:{'|'.join(tails[:rest])})?" if rest else f"{full}{{{groups}}}"]
    if groups:
        options.append(f"{full}{{0,{groups - 1}}}(?:{'|'.join(tails)})?")
    return whole("|".join(options))


def hexadecimal(size: int) -> str:
    """Return a pattern for "0x" and two digits for each of `size` bytes.

    >>> hexadecimal(2)
    '0x[0-9a-fA-F]{4}'
    """
    return f"0x[0-9a-fA-F]{{{2 * size}}}"
