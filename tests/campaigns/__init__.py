"""Attacks on the project's two promises, made by the thousand; `make campaigns` runs them all."""
