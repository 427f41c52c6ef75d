"""The reports of tracebacks.toml: what is refused, and whether the file is sound."""

from __future__ import annotations

import pytest
from packaging.version import Version

from bench.tracebacks import FILE, read_reports

_REPORT = """
[[reports]]
url = "https://example.org/issues/1"
log = '''
ImportError: cannot import name 'A' from 'trl'
'''
versions = { trl = "0.15.2", vllm = "0.12.0" }
packages = ["trl", "vllm"]
because = "TRL 0.16.0 has the class."
[reports.fixed]
trl = ">=0.16.0"
vllm = "<0.12.0"
"""


def test_a_report_has_its_releases_and_what_fixes_it():
    (report,) = read_reports(_REPORT)
    assert report.packages == ("trl", "vllm")
    assert report.versions == {"trl": Version("0.15.2"), "vllm": Version("0.12.0")}
    assert report.is_fixed_by("trl", Version("0.16.0")) and not report.is_fixed_by("trl", Version("0.15.2"))
    assert report.is_fixed_by("vllm", Version("0.11.2")) and not report.is_fixed_by("torch", Version("2.8.0"))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("because =", "why =", "unknown keys: why"),
        ('because = "TRL 0.16.0 has the class."', "", "missing keys: because"),
        ('packages = ["trl", "vllm"]', "packages = []", "names no package"),
        ('packages = ["trl", "vllm"]', 'packages = ["trl"]', "different packages"),
        ('">=0.16.0"', '"0.16 and later"', "is not a range"),
        ('">=0.16.0"', '""', "a range is empty"),
        ('">=0.16.0"', '">=0.15.0"', "trl 0.15.2 fails"),
        ('vllm = "0.12.0"', 'vllm = "main"', "main is not a version"),
        ('vllm = "0.12.0"', 'vLLM = "0.12.0"', "must be written vllm"),
        ("ImportError: cannot import name 'A' from 'trl'", "", "the log is empty"),
        ("https://", "http://", "https://"),
    ],
)
def test_a_malformed_report_is_refused_and_named(old, new, problem):
    with pytest.raises(ValueError, match="report 1") as raised:
        read_reports(_REPORT.replace(old, new))
    assert problem in str(raised.value)


def test_the_same_log_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        read_reports(_REPORT + _REPORT)


def test_the_reports_of_the_file_are_sound():
    reports = read_reports(FILE.read_text("utf-8"))
    assert reports
    for report in reports:
        assert "github.com/" in report.url, report.url
        assert report.because.endswith("."), report.url
