"""Built in dtypes."""
