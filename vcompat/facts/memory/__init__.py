"""Memory that a run needs on each GPU, and how much there is."""
