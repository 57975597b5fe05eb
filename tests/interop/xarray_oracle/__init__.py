"""xarray as the oracle of zom's rules for it: stores, ways to spoil them, and what xarray makes of each."""
