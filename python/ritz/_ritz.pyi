# The module in C++, which the others call.
from typing import Any

def __getattr__(name: str) -> Any: ...
