"""Build the site with Sphinx. A warning, such as a link that leads nowhere, is an error."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from sphinx.application import Sphinx

from vcompat.foundation.addresses import SITE
from vcompat.foundation.version import __version__

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent
#: The document that becomes the page 'about'.
README = "README"


def build(folder: Path) -> int:
    """Build the site into `folder`, which is emptied first. Return 0, or 1 after a warning."""
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as doctrees:
        app = Sphinx(
            srcdir=CHECKOUT,
            confdir=None,
            outdir=folder,
            doctreedir=doctrees,
            buildername="site",
            confoverrides=_settings(),
            status=None,
            warningiserror=True,
        )
        app.build(force_all=True)
    # Sphinx makes the folder whether or not there are sources to copy.
    shutil.rmtree(folder / "_sources", ignore_errors=True)
    return app.statuscode


def _settings() -> dict[str, object]:
    others = [path.name for path in CHECKOUT.iterdir() if path.is_dir() and path.name != "docs"]
    return {
        "project": "vcompat",
        "version": __version__,
        "release": __version__,
        "language": "en",
        "extensions": ["myst_parser", "web.builder"],
        "root_doc": README,
        "include_patterns": [f"{README}.md", "docs/**.md"],
        # Sphinx walks through every folder that is not excluded.
        "exclude_patterns": [f"{name}/**" for name in others] + others,
        "suppress_warnings": ["toc.not_included"],
        "myst_heading_anchors": 4,
        "smartquotes": False,
        "html_theme": "templates",
        "html_theme_path": [str(HERE)],
        "templates_path": [str(HERE / "templates")],
        "html_static_path": [str(HERE / "static")],
        "html_baseurl": SITE,
        "html_copy_source": False,
        "html_use_index": False,
        "html_domain_indices": False,
        "html_permalinks": False,
    }
