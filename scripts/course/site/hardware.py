"""The hardware table as a table for readers."""

from __future__ import annotations

from course.hardware import Hardware
from course.site.templates import render


def hardware_html(hardware: Hardware) -> str:
    numbers = {name: at for at, name in enumerate(hardware.cited, start=1)}
    return render("hardware.html", hardware=hardware, numbers=numbers)
