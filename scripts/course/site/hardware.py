"""The hardware table as a table for readers."""

from __future__ import annotations

from course.hardware import Hardware
from course.site.marks import link
from course.site.receipts import Receipts
from course.site.templates import render


def hardware_html(hardware: Hardware, receipts: Receipts) -> str:
    """The table; every figure of a row opens the row's receipt."""
    numbers = {name: at for at, name in enumerate(hardware.cited, start=1)}
    rows = [(card, receipts.of_card(card, hardware)) for card in hardware.cards]
    return render("hardware.html", hardware=hardware, rows=rows, numbers=numbers, told=link)
