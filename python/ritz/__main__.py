"""python -m ritz: the tool `ritz`, with `demo` and `picture`."""
from ritz._programs import ritz

ritz()
