"""What lies in a store: found, read and compared, nothing is changed."""
