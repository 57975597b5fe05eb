"""JSON: values that cannot change, read with their places and every fault, and written again without loss."""
