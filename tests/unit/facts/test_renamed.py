"""The release of transformers decides whether a setting counts that is assigned under its former name."""

from __future__ import annotations

import pytest

from tests.unit.facts_for_tests import facts
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts, Likely, Place
from vcompat.facts.presumption import CALL, RELEASE, Presumption
from vcompat.facts.renamed import FACT, OLDER

PLACE = Place("x.py", 3, 31)
OTHER = Presumption(CALL, "log() does not change it", PLACE)


def _derived(transformers: str | None, *others: Presumption) -> Facts:
    run = facts(**({} if transformers is None else {"packages__transformers": transformers}))
    run.forget(FACT, "assigned later", PLACE)
    presumes = (Presumption(RELEASE, OLDER, PLACE), *others)
    run.set_likely(FACT, Likely(False, str(PLACE), PLACE, presumes, "assigned later"))
    return derive(run)


@pytest.mark.parametrize("transformers", ["4.57.6", "5.22.2"])
def test_before_5_23_the_setting_is_known(transformers: str) -> None:
    known = _derived(transformers).get(FACT)
    assert known is not None
    assert (known.value, known.place, known.presumes) == (False, PLACE, ())


@pytest.mark.parametrize("transformers", ["5.23.0", "5.24.0"])
def test_from_5_23_on_it_is_unknown(transformers: str) -> None:
    derived = _derived(transformers)
    assert derived.get(FACT) is None
    assert derived.likely(FACT) is None
    assert derived.why_unknown(FACT) == (
        f"x.py:3:31: assigned after the configuration is made, which transformers {transformers} ignores"
    )


def test_what_else_is_presumed_stays() -> None:
    likely = _derived("5.22.2", OTHER).likely(FACT)
    assert likely is not None
    assert likely.presumes == (OTHER,)


def test_without_a_release_it_stays_likely() -> None:
    likely = _derived(None).likely(FACT)
    assert likely is not None
    assert OLDER in [one.text for one in likely.presumes]
