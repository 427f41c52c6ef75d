from . import environment
