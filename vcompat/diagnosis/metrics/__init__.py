"""From the metrics that TRL logs to the silent failures that they show.

``objects`` reads what the Trainer prints and its trainer_state.json, ``tables`` reads CSV, ``events`` reads the files
of TensorBoard. ``series`` holds the values of a run, and ``signatures`` tells what their shape means.
"""
