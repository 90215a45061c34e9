"""The harness is judged: by the gallery, by cheats, by its own parts."""
