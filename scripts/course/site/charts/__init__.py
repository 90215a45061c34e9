"""Charts: inline SVG made at build time out of evidence.

Positions across are percentages and heights are pixels, so that a chart fills any width and its
words keep their size: there is one chart for a phone, a desktop and paper.
"""

from course.site.charts.draw import chart_html, drawing_html

__all__ = ["chart_html", "drawing_html"]
