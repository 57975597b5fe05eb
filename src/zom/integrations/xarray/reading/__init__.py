"""What engine="zom" opens: a place, the groups found there, and their arrays as lazy variables."""
