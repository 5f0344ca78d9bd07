"""TRACE: accountable source discovery in archives. The core: no page, no storage, no heavy import."""

from typing import Final

__version__: Final = "0.1.0"
