"""Add the repository's data to the wheel: all rules in one compiled file, and the evidence records.

An editable installation contains neither; a checkout reads ``rules/`` and ``evidence/`` directly.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileRules(BuildHookInterface[Any]):
    """The Hatchling hook for the target ``wheel``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the rules and add them and the records. `version` is ``standard`` or ``editable``."""
        if version != "standard":
            return
        sys.path.insert(0, self.root)
        try:
            from vcompat.rules.compiled import compiled_text
            from vcompat.rules.database import read_table, rule_files
        finally:
            sys.path.remove(self.root)
        self._folder = tempfile.TemporaryDirectory()
        compiled = Path(self._folder.name, "compiled.jsonl")
        compiled.write_text(compiled_text(map(read_table, rule_files(str(Path(self.root, "rules"))))), encoding="utf-8")
        build_data["force_include"][str(compiled)] = "vcompat/rules/compiled.jsonl"
        build_data["force_include"][str(Path(self.root, "evidence"))] = "vcompat/rules/evidence"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder of `initialize`."""
        if version == "standard":
            self._folder.cleanup()
