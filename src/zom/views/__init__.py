"""Views: HTML pages, notebook output and pictures for people, and listings for programs."""
