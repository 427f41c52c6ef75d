"""The index: which names, parameters, attributes and lines of code each release of each upstream package has."""
