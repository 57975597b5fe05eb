"""A DLL that names one function of another DLL, in the form of Windows' programs (PE32+).

Programs in Rust ask `bcryptprimitives.dll` for random bytes. Wine has it from version 9 on; an older one has the same function
in another DLL, under another name.
"""

from __future__ import annotations

import struct

__all__ = ["forwarder"]

_BASE, _SECTION, _ALIGNED = 0x1_8000_0000, 0x1000, 0x200
"""Where it is loaded, where its section is from there, and to what parts of a file are rounded."""


def forwarder(name: str, function: str, target: str) -> bytes:
    """The DLL `name`, whose one `function` is the `target` of another DLL, as `advapi32.SystemFunction036`."""
    section = _exports(name, function, target).ljust(_ALIGNED, b"\0")
    machine, characteristics = 0x8664, 0x2022  # x86-64; a DLL that may lie anywhere
    header = struct.pack("<4sHHIIIHH", b"PE\0\0", machine, 1, 0, 0, 0, 112 + 16 * 8, characteristics)
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, 0, _ALIGNED, 0, 0, _SECTION)
    optional += struct.pack(
        "<QIIHHHHHHIIIIHH", _BASE, 0x1000, _ALIGNED, 6, 0, 0, 0, 6, 0, 0, 0x2000, _ALIGNED, 0, 3, 0x100
    )
    optional += struct.pack("<QQQQII", 1 << 20, 1 << 12, 1 << 20, 1 << 12, 0, 16)
    optional += struct.pack("<II", _SECTION, len(section)) + bytes(15 * 8)
    readable = 0x4000_0040
    listed = struct.pack(
        "<8sIIIIIIHHI", b".rdata", len(section), _SECTION, len(section), _ALIGNED, 0, 0, 0, 0, readable
    )
    start = b"MZ" + bytes(58) + struct.pack("<I", 64)
    return (start + header + optional + listed).ljust(_ALIGNED, b"\0") + section


def _exports(name: str, function: str, target: str) -> bytes:
    """The table of exports: one function, which is not here but the text says where."""
    functions, names, numbers = 40, 44, 48
    texts = [each.encode() + b"\0" for each in (name, function, target)]
    places = [_SECTION + 50 + sum(map(len, texts[:index])) for index in range(3)]
    table = struct.pack(
        "<IIHHIIIIIII",
        0,
        0,
        0,
        0,
        places[0],
        1,
        1,
        1,
        _SECTION + functions,
        _SECTION + names,
        _SECTION + numbers,
    )
    return table + struct.pack("<IIH", places[2], places[1], 0) + b"".join(texts)
