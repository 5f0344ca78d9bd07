"""TRACE: accountable source discovery in archives. No page, no storage, no heavy import here."""

from typing import Final

__version__: Final = "0.1.0"
