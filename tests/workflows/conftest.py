"""The idle card of the tests of re-verification."""

from reverify.conftest import idle

__all__ = ["idle"]
