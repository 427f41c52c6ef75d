"""Puts into the wheel what the repository keeps at its top: rules (as one compiled file), evidence records, templates.

An editable installation gets none of these: a checkout reads the folders themselves.

The description on the package index is the README, whose links lead to the repository.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class DescribeByReadme(MetadataHookInterface):
    """Hatchling's hook for the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description: the README, whose relative links are addresses of the files of this release."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        here, revision = metadata["urls"]["Repository"], f"v{metadata['version']}"
        raw = here.replace("//github.com/", "//raw.githubusercontent.com/")
        text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\g<1>{raw}/{revision}/", text)
        text = re.sub(r"((?<!!)\[[^]]*\]\()(?!https?:|#)", rf"\g<1>{here}/blob/{revision}/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class CompileRules(BuildHookInterface[Any]):
    """Hatchling's hook for the target ``wheel``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the rules and add them. `version` is ``standard`` or ``editable``."""
        if version != "standard":
            return
        sys.path.insert(0, self.root)
        try:
            from vcompat.rules.database import read_table, rule_files
            from vcompat.rules.rules_file import compiled_text
        finally:
            sys.path.remove(self.root)
        self._folder = tempfile.TemporaryDirectory()
        compiled = Path(self._folder.name, "compiled.jsonl")
        compiled.write_text(compiled_text(map(read_table, rule_files(str(Path(self.root, "rules"))))), encoding="utf-8")
        build_data["force_include"][str(compiled)] = "vcompat/rules/compiled.jsonl"
        build_data["force_include"][str(Path(self.root, "evidence"))] = "vcompat/rules/evidence"
        build_data["force_include"][str(Path(self.root, "templates"))] = "vcompat/cli/templates"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what `initialize` made."""
        if version == "standard":
            self._folder.cleanup()
