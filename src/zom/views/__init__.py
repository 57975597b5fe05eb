"""What people look at: pages, what notebooks show, and pictures in them; and lists for programs."""
