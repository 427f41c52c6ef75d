"""Classes of a script, and objects that configure a run."""
