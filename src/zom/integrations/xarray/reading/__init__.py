"""Reading for engine="zom": a place, the groups found there, and their arrays as lazy variables."""
