"""Re-verification: do the published results still hold on this card, today?

`run.reverify` needs a GPU; everything else reads evidence and nothing more.
"""

from course.reverify.compare import Comparison, compare
from course.reverify.history import Proven, history, proven

__all__ = ["Comparison", "Proven", "compare", "history", "proven"]
