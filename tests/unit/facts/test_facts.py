"""The mapping of facts: known, likely, unknown, and how presumptions travel to what is derived from them."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import MOST_PRESUMPTIONS, Facts, Known, KnownIf, Likely, Place, bounded
from vcompat.facts.presumption import CALL, CALLER, KINDS, RELEASE, Presumption

CALLED = Presumption(CALL, "init() does not change args", Place("train.py", 4, 1))
ADDED = Presumption(CALLER, "the caller adds no arguments")
PLACE = Place("train.py", 3, 8)


def likely(value: object, *presumes: Presumption) -> Likely:
    return Likely(value, "train.py:3:8", PLACE, presumes or (CALLED,), "init() may change it", PLACE)  # type: ignore[arg-type]


def test_a_likely_fact_is_not_known_and_has_a_value_a_place_and_a_reason() -> None:
    facts = Facts()
    facts.forget("plan.beta", "before")
    facts.set_likely("plan.beta", likely(0.5))
    assert facts.get("plan.beta") is None and facts.value("plan.beta", "default") == "default"
    assert facts.likely("plan.beta") == likely(0.5)
    assert facts.is_open("plan.beta") and facts.why_unknown("plan.beta") == "init() may change it"
    assert facts.open_at("plan.beta") == PLACE
    assert dict(facts.all_likely()).keys() == {"plan.beta"} == dict(facts.all_open()).keys()
    assert list(facts.all_known()) == [] == list(facts.all_unknown())
    assert facts.has_likely


def test_a_known_fact_is_not_made_likely_and_one_that_is_set_is_likely_no_more() -> None:
    facts = Facts()
    facts.set("plan.beta", 0.1, "test")
    facts.set_likely("plan.beta", likely(0.5))
    assert facts.value("plan.beta") == 0.1 and not facts.has_likely
    facts.set_likely("plan.bf16", likely(True))
    facts.set("plan.bf16", False, "--set")
    assert facts.likely("plan.bf16") is None and facts.value("plan.bf16") is False
    facts.set_likely("plan.optim", likely("adafactor"))
    facts.forget("plan.optim", "set to unknown with --set")
    assert facts.likely("plan.optim") is None


def test_a_default_is_not_offered_to_a_fact_that_is_likely() -> None:
    facts = Facts()
    facts.set_likely("plan.beta", likely(0.5))
    facts.offer("plan.beta", 0.0, "default")
    assert facts.likely("plan.beta") == likely(0.5)


def test_taken_for_known_a_likely_fact_has_what_it_presumes_and_the_facts_stay_as_they_are() -> None:
    facts = Facts()
    facts.set_likely("plan.beta", likely(0.5, CALLED, ADDED))
    facts.set("plan.bf16", True, "test")
    known = facts.presumed().get("plan.beta")
    assert isinstance(known, KnownIf) and known == Known(0.5, "train.py:3:8", PLACE)
    assert known.presumes == (CALLED, ADDED)
    sure = facts.presumed().get("plan.bf16")
    assert sure is not None and sure.presumes == ()
    assert facts.likely("plan.beta") is not None and facts.get("plan.beta") is None


def test_without_presumptions_a_likely_fact_is_unknown_for_its_reason() -> None:
    facts = Facts()
    facts.set_likely("plan.beta", likely(0.5))
    facts.whole, facts.likely_stated = (ADDED,), ()
    certain = facts.certain()
    assert dict(certain.all_unknown()) == {"plan.beta": "init() may change it"}
    assert certain.open_at("plan.beta") == PLACE
    assert not certain.has_likely and facts.has_likely


def test_what_presumably_nothing_states_is_open_only_for_the_certain_reading() -> None:
    facts = Facts()
    facts.forget("plan.beta", "the caller may set it")
    facts.presume_unstated("plan.beta")
    facts.presume_unstated("plan.bf16")
    assert facts.is_presumed_unstated("plan.beta") and not facts.is_presumed_unstated("plan.bf16")
    assert facts.is_open("plan.beta") and not facts.presumed().is_open("plan.beta")


def test_of_a_family_that_was_read_completely_a_fact_is_likely_only_if_it_was_left_open() -> None:
    facts = Facts(closed=["env"])
    facts.forget("env.VLLM_USE_V1", "set only if the caller has not set it")
    for name in ("env.VLLM_USE_V1", "env.NOT_SET"):
        facts.set_likely(name, likely("1"))
    assert dict(facts.all_likely()).keys() == {"env.VLLM_USE_V1"}
    assert facts.get("env.VLLM_USE_V1") is None and facts.value("env.OTHER", "?") is None
    assert facts.closed == {"env"}
    facts.reopen("env")
    assert facts.value("env.OTHER", "?") == "?" and facts.likely("env.VLLM_USE_V1") is not None
    facts.forget("gpu", "no driver")
    facts.close("gpu")
    assert facts.closed == frozenset() and facts.why_unknown("gpu.count") == "no driver"


def test_facts_that_are_merged_bring_what_is_likely_of_them() -> None:
    facts, other = Facts(), Facts()
    facts.set("plan.beta", 0.1, "test")
    other.set_likely("plan.beta", likely(0.5))
    other.whole, other.likely_stated = (ADDED,), ()
    facts.update(other)
    assert facts.likely("plan.beta") == likely(0.5) and facts.whole == (ADDED,) and facts.likely_stated == ()
    copy = facts.copy()
    copy.set("plan.beta", 1, "test")
    assert facts.likely("plan.beta") is not None and copy.likely("plan.beta") is None


def test_what_is_set_in_a_block_presumes_what_the_block_has_read_by_then() -> None:
    facts = Facts()
    facts.set_likely("plan.beta", likely(0.5, CALLED))
    facts.set_likely("plan.bf16", likely(True, ADDED))
    facts = facts.presumed()
    with facts.attributing():
        facts.set("plan.a", 1, "test")
        facts.value("plan.beta")
        facts.set("plan.b", 1, "test")
        facts.value("plan.bf16")
        facts.offer("plan.c", 1, "test")
    facts.set("plan.d", 1, "test")
    presumes = {name: known.presumes for name, known in facts.all_known() if name[-1] in "abcd" and name[-2] == "."}
    assert presumes == {"plan.a": (), "plan.b": (CALLED,), "plan.c": (CALLED, ADDED), "plan.d": ()}


def test_what_is_known_in_both_readings_does_not_become_likely() -> None:
    facts, presumed = Facts(), Facts()
    facts.set("plan.a", 1, "test")
    facts.forget("plan.b", "computed", PLACE)
    for name in ("plan.a", "plan.b", "plan.c"):
        presumed.set(name, 2, "test", presumes=(CALLED,))
    presumed.set("plan.d", 2, "test")
    facts.add_presumed(presumed)
    assert {name: (one.value, one.reason, one.open_at) for name, one in facts.all_likely()} == {
        "plan.b": (2, "computed", PLACE),
        "plan.c": (2, "", None),
    }
    assert facts.value("plan.a") == 1 and facts.get("plan.d") is None


def test_presumptions_are_named_once_and_are_no_more_than_a_reader_acts_on() -> None:
    many = [Presumption(CALL, f"f{number}() changes nothing") for number in range(9)]
    assert bounded([CALLED, ADDED, CALLED]) == (CALLED, ADDED)
    assert len(bounded(many)) == MOST_PRESUMPTIONS
    facts = Facts()
    facts.set_likely("plan.beta", likely(0.5, *many))
    found = facts.likely("plan.beta")
    assert found is not None and found.presumes == tuple(many[:MOST_PRESUMPTIONS])


def test_a_presumption_is_a_clause_with_its_place() -> None:
    assert str(CALLED) == "init() does not change args (train.py:4:1)"
    assert str(ADDED) == "the caller adds no arguments"
    assert len(set(KINDS)) == len(KINDS)


# Derived facts


def run(trl: str = "1.9.0") -> Facts:
    facts = Facts()
    if trl:
        facts.set("packages.trl", Version(trl), "requirements.txt:1")
    facts.set("plan.configuration", "GRPOConfig", "train.py:3:8", PLACE)
    return facts


def test_what_follows_from_a_likely_fact_is_likely_and_presumes_the_same() -> None:
    facts = Facts()
    facts.set_likely("packages.vllm", likely(Version("0.8.4"), ADDED))
    derived = derive(facts)
    backend = derived.likely("vllm.backend")
    assert backend is not None and (backend.value, backend.presumes) == ("cuda", (ADDED,))
    assert derived.get("vllm.backend") is None
    facts.set("packages.vllm", Version("0.8.4"), "test")
    assert derive(facts).value("vllm.backend") == "cuda"


def test_defaults_are_known_where_the_files_state_all_and_likely_where_only_presumably() -> None:
    certain = derive(run(), takes_defaults=True)
    assert certain.value("plan.vllm_mode") is not None and certain.likely("plan.vllm_mode") is None
    facts = run()
    facts.whole = (ADDED,)
    facts.set("plan.use_vllm", True, "train.py:3:8")
    presumed = derive(facts)
    found = presumed.likely("plan.vllm_mode")
    assert found is not None
    assert (found.value, found.presumes) == (certain.value("plan.vllm_mode"), (ADDED,))
    assert found.source == "default of TRL 1.9.0"
    assert presumed.value("plan.use_vllm") is True
    assert derive(run()).likely("plan.vllm_mode") is None


def test_without_a_release_a_default_is_likely_that_all_allowed_releases_have() -> None:
    found = derive(run(""), takes_defaults=True).likely("plan.use_vllm")
    assert found is not None and found.value is False
    (presumption,) = found.presumes
    assert presumption == Presumption(RELEASE, "the release of TRL is among all recorded releases of TRL")


def test_a_range_makes_defaults_likely_that_its_releases_share_and_no_others() -> None:
    # TRL 0.23.0 and 0.24.0 have vllm_mode 'server'; 1.9.0 has 'colocate'.
    values = {}
    for releases in (("0.23.0", "0.24.0"), ("0.24.0", "1.9.0"), ("1.9.0",)):
        facts = run("")
        facts.forget("packages.trl", "allows a range", candidates=map(Version, releases))
        found = derive(facts, takes_defaults=True).likely("plan.vllm_mode")
        values[releases] = found and found.value
        texts = found.presumes[0].text if found is not None else ""
        assert all(release in texts for release in releases if found is not None)
    assert values == {("0.23.0", "0.24.0"): "server", ("0.24.0", "1.9.0"): None, ("1.9.0",): "colocate"}


def test_a_likely_release_leads_to_likely_defaults_that_presume_it() -> None:
    facts = run("")
    kept = Presumption(RELEASE, "later commands keep trl 1.9.0")
    facts.set_likely("packages.trl", likely(Version("1.9.0"), kept))
    found = derive(facts, takes_defaults=True).likely("plan.vllm_mode")
    assert found is not None and (found.value, found.presumes) == ("colocate", (kept,))


def test_a_run_without_trl_has_no_defaults_of_it() -> None:
    facts = run("")
    facts.set("packages.trl", None, "not installed")
    facts.whole = (ADDED,)
    assert derive(facts, takes_defaults=True).likely("plan.use_vllm") is None
