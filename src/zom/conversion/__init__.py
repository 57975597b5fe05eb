"""Conversions between the formats, with every loss reported."""
