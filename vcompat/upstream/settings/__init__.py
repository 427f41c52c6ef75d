"""Which settings upstream's configuration classes have: read from the source of releases, recorded, and verified.

`survey` inspects a release, `record` writes what `vcompat.facts.records.settings` reads. Nothing of upstream is
imported.
"""
