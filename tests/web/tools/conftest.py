"""The archive of the tools, and their engine in Node."""

import pytest

from tests.web.tools.engine import Engine


@pytest.fixture(scope="session")
def tools():
    """Nothing; tests that use it are skipped where the tools cannot be built."""
    pytest.importorskip("hatchling", reason="needs the extra 'site'")
    from web.tools.npm_packages import missing

    if missing():
        pytest.skip(missing())


@pytest.fixture(scope="session")
def engine(tools, tmp_path_factory):
    """The engine that answers in Node as in the worker of a page."""
    from web.tools.bundle import bundle

    archive = tmp_path_factory.mktemp("tools") / "vcompat.zip"
    archive.write_bytes(next(file.content for file in bundle().files if file.name == "vcompat.zip"))
    running = Engine(archive)
    yield running
    running.close()
