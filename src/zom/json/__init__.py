"""JSON: immutable values, read with the place of every fault, and written without loss."""
