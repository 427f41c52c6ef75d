"""Which settings upstream's configuration classes have: read from the source of releases, recorded, and verified.

`release_settings` inspects a release, `setting_records` writes what `vcompat.facts.records.recorded_settings` reads.
Nothing of upstream is imported.
"""
