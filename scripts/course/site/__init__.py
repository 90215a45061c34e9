"""The only rooms that know MkDocs: the hook, and what it puts on the pages."""
