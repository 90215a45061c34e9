"""The built site in a real browser, read as a reader does: by eye, finger and key."""
