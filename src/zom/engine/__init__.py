"""The engine: chunks between a store and arrays in memory, by a plan that doesn't depend on formats."""
