from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.rehearsal.surroundings import copy_known_models, surroundings


def test_each_cache_is_in_the_folder_of_the_rehearsal(tmp_path: Path) -> None:
    made = surroundings(str(tmp_path), 3, 300, tiny=False)
    caches = [value for name, value in made.items() if name.endswith(("_ROOT", "_CACHE_DIR"))]
    assert len(set(caches)) == 4 and all(Path(cache).is_relative_to(tmp_path) for cache in caches)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("variable", ["VLLM_CACHE_ROOT", "XDG_CACHE_HOME"])
def test_what_vllm_knows_about_models_is_copied(tmp_path: Path, variable: str) -> None:
    users = tmp_path / "users"
    known = users / ("vllm" if variable == "XDG_CACHE_HOME" else "") / "modelinfos" / "qwen.json"
    known.parent.mkdir(parents=True)
    known.write_text("{}")
    made = surroundings(str(tmp_path / "new"), 3, 300, tiny=False)
    copy_known_models({variable: str(users)}, made)
    assert (Path(made["VLLM_CACHE_ROOT"]) / "modelinfos" / "qwen.json").read_text() == "{}"
    copy_known_models({variable: str(tmp_path / "none")}, surroundings(str(tmp_path / "other"), 3, 300, tiny=False))
    assert not (tmp_path / "other").exists()
