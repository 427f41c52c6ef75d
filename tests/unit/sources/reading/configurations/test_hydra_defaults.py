"""Defaults lists and the command line of Hydra: the whole configuration that follows, its places, and why it is open."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.configurations.hydra import compose_config
from vcompat.sources.reading.configurations.hydra_defaults import Composer
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

FILES = {
    "one": "a: 1\nb:\n  c: 2\n  d: ${a}\n",
    "g/x": "v: x\n",
    "g/y": "v: y\nw: 1\n",
    "g/h/z": "v: z\n",
    "g/list": "defaults: [x, y, _self_]\nv: list\n",
    "g/rel": "defaults:\n  - h: z\n  - /o/g2: p\nv: rel\n",
    "g/abs": "defaults:\n  - /one@_here_\n  - /g/h/z@k\n  - _self_\n",
    "o/g2/p": "u: p\n",
    "o/g2/q": "# @package _global_\nq: 1\n",
    "o/g2/r": "\n#@package foo\nr: 1\n",
    "o/g2/s": "# c\n# @package x\ns: 1\n",
    "o/g2/t": "# @package _group_\nt: 1\n",
    "o/g2/u": "# @other y\n# @package foo.bar\nu: 1\n",
    "o/g2/v": "# @package _global_.k.l\nv: 1\n",
    "self_first": "defaults:\n  - _self_\n  - g: x\ng: {v: own}\n",
    "self_last": "defaults:\n  - g: x\n  - _self_\ng: {v: own}\n",
    "no_self": "defaults:\n  - g: x\ng: {v: own, n: 1}\n",
    "old": "defaults:\n  - o/g2: t\n  - _self_\na: 1\n",
    "old2": "defaults:\n  - g@_name_: x\n  - _self_\na: 1\n",
    "opt": "defaults:\n  - optional g: none\n  - optional none\n  - optional g@k: y\n  - g: x\n  - _self_\n",
    "null": "defaults:\n  - g: null\n  - _self_\na: 1\n",
    "missing": "defaults:\n  - g: none\n  - _self_\na: 1\n",
    "must": "defaults:\n  - g: ???\n  - _self_\na: 1\n",
    "missing_at": "defaults:\n  - none@p.q\n  - _self_\na: 1\n",
    "pk": "defaults:\n  - g@k: x\n  - g@k.l: y\n  - g@_global_: y\n  - /o/g2@m: p\n  - o/g2/p\n  - o/g2/p@n\n  - _self_\n",
    "heads": "defaults:\n  - o/g2: [q, r, s, u, v]\n  - _self_\n",
    "lists": "defaults:\n  - g: [x, y]\n  - _self_\n",
    "rels": "defaults:\n  - g: rel\n  - _self_\n",
    "abss": "defaults:\n  - g: abs\n  - _self_\n",
    "listc": "defaults: [g/list]\n",
    "over": "defaults:\n  - g: x\n  - override g: y\n  - _self_\n",
    "over2": "defaults:\n  - g: x\n  - exp: e\n  - _self_\n",
    "exp/e": "# @package _global_\ndefaults:\n  - override /g: y\n  - _self_\nfrom_exp: 1\n",
    "over_only": "defaults:\n  - override hydra/job_logging: none\na: 1\n",
    "ref": "defaults:\n  - g: y\n  - o/g2: p\n  - g@k: ${g}\n  - _self_\n",
    "ref_bad": "defaults:\n  - g: ${nothing}\n  - _self_\na: 1\n",
    "ref_path": "defaults:\n  - g: x\n  - g/${g}@z\n  - _self_\n",
    "hyd": "defaults:\n  - hydra: default\n  - hydra/launcher: basic\n  - optional /hydra/x/y@z: w\n  - _self_\na: 1\n",
    "bad1": "defaults: [[a]]\n",
    "bad2": "defaults:\n  - {a: b, c: d}\n",
    "bad3": "\ndefaults: 5\n",
    "bad4": "defaults: [5]\n",
    "bad5": "defaults:\n  - g: {a: b}\n",
    "bad6": "defaults:\n  - g: 5\n",
    "empty": "",
    "nodef": "defaults: []\na: 1\n",
    "kw": "defaults:\n  - optional override g: y\n  - g: x\n",
    "cyc": "defaults: [cyc2]\na: 1\n",
    "cyc2": "defaults: [cyc]\n",
    "outside": "defaults:\n  - ../x\n  - _self_\na: 1\n",
    "deep/er/c": "defaults:\n  - d\n  - f: g\ndeep: 1\n",
    "deep/er/d": "d: 1\n",
    "deep/er/f/g": "g: 1\n",
    "usedeep": "defaults:\n  - deep/er/c\n  - _self_\n",
    "typed": "a: 1e-4\nb: yes\nc: ???\nd: ${oc.env:X}\nhydra: {x: 1}\n",
}

#: A configuration and the words of the command line; what is composed, where each value is from, and why it is open.
#: Hydra 1.3 composes the same, or refuses.
COMPOSED = [
    (
        "one",
        [],
        ["{'a': 1, 'b': {'c': 2, 'd': 1}}", "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3", ""],
    ),
    ("self_first", [], ["{'g': {'v': 'x'}}", "defaults@self_first.yaml:1:1 g@self_first.yaml:4:1 g.v@x.yaml:1:1", ""]),
    (
        "self_last",
        [],
        ["{'g': {'v': 'own'}}", "defaults@self_last.yaml:1:1 g@self_last.yaml:4:1 g.v@self_last.yaml:4:5", ""],
    ),
    (
        "no_self",
        [],
        [
            "{'g': {'v': 'own', 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    ("old", [], ["OpenTable({})", "", "a package that depends on the release of Hydra"]),
    ("old2", [], ["OpenTable({})", "", "a package that depends on the release of Hydra"]),
    (
        "opt",
        [],
        [
            "{'k': {'v': 'y', 'w': 1}, 'g': {'v': 'x'}}",
            "defaults@opt.yaml:1:1 g.v@x.yaml:1:1 k.v@y.yaml:1:1 k.w@y.yaml:2:1",
            "",
        ],
    ),
    ("null", [], ["{'a': 1}", "a@null.yaml:4:1 defaults@null.yaml:1:1", ""]),
    (
        "missing",
        [],
        [
            "OpenTable({'a': 1})",
            "a@missing.yaml:4:1 defaults@missing.yaml:1:1",
            "a configuration in the defaults list is not in the folder",
        ],
    ),
    ("must", [], ["OpenTable({})", "", "g is not chosen"]),
    (
        "missing_at",
        [],
        [
            "OpenTable({'a': 1})",
            "a@missing_at.yaml:4:1 defaults@missing_at.yaml:1:1",
            "a configuration in the defaults list is not in the folder",
        ],
    ),
    (
        "pk",
        [],
        [
            "{'k': {'v': 'x', 'l': {'v': 'y', 'w': 1}}, 'v': 'y', 'w': 1, 'm': {'u': 'p'}, 'o': {'g2': {'u': 'p'}}, 'n': {'u': 'p'}}",
            "defaults@pk.yaml:1:1 k.l.v@y.yaml:1:1 k.l.w@y.yaml:2:1 k.v@x.yaml:1:1 m.u@p.yaml:1:1 n.u@p.yaml:1:1 o.g2.u@p.yaml:1:1 v@y.yaml:1:1 w@y.yaml:2:1",
            "",
        ],
    ),
    (
        "heads",
        [],
        [
            "{'q': 1, 'foo': {'r': 1, 'bar': {'u': 1}}, 'o': {'g2': {'s': 1}}, 'k': {'l': {'v': 1}}}",
            "defaults@heads.yaml:1:1 foo.bar.u@u.yaml:3:1 foo.r@r.yaml:3:1 k.l.v@v.yaml:2:1 o.g2.s@s.yaml:3:1 q@q.yaml:2:1",
            "",
        ],
    ),
    ("lists", [], ["{'g': {'v': 'y', 'w': 1}}", "defaults@lists.yaml:1:1 g.v@y.yaml:1:1 g.w@y.yaml:2:1", ""]),
    (
        "rels",
        [],
        [
            "{'g': {'h': {'v': 'z'}, 'o': {'g2': {'u': 'p'}}, 'v': 'rel'}}",
            "defaults@rels.yaml:1:1 g.defaults@rel.yaml:1:1 g.h.v@z.yaml:1:1 g.o.g2.u@p.yaml:1:1 g.v@rel.yaml:4:1",
            "",
        ],
    ),
    (
        "abss",
        [],
        [
            "{'g': {'a': 1, 'b': {'c': 2, 'd': OPEN}, 'k': {'v': 'z'}}}",
            "defaults@abss.yaml:1:1 g.a@one.yaml:1:1 g.b@one.yaml:2:1 g.b.c@one.yaml:3:3 g.b.d@one.yaml:4:3 g.defaults@abs.yaml:1:1 g.k.v@z.yaml:1:1",
            "",
        ],
    ),
    (
        "listc",
        [],
        [
            "{'g': {'v': 'list', 'w': 1}}",
            "defaults@listc.yaml:1:1 g.defaults@list.yaml:1:1 g.v@list.yaml:2:1 g.w@y.yaml:2:1",
            "",
        ],
    ),
    ("over", [], ["{'g': {'v': 'y', 'w': 1}}", "defaults@over.yaml:1:1 g.v@y.yaml:1:1 g.w@y.yaml:2:1", ""]),
    (
        "over2",
        [],
        [
            "{'g': {'v': 'y', 'w': 1}, 'from_exp': 1}",
            "defaults@over2.yaml:1:1 from_exp@e.yaml:5:1 g.v@y.yaml:1:1 g.w@y.yaml:2:1",
            "",
        ],
    ),
    ("over_only", [], ["{'a': 1}", "a@over_only.yaml:3:1 defaults@over_only.yaml:1:1", ""]),
    (
        "ref",
        [],
        [
            "{'g': {'v': 'y', 'w': 1}, 'o': {'g2': {'u': 'p'}}, 'k': {'v': 'y', 'w': 1}}",
            "defaults@ref.yaml:1:1 g.v@y.yaml:1:1 g.w@y.yaml:2:1 k.v@y.yaml:1:1 k.w@y.yaml:2:1 o.g2.u@p.yaml:1:1",
            "",
        ],
    ),
    ("ref_bad", [], ["OpenTable({})", "", "a defaults list with a reference that is not known"]),
    (
        "ref_path",
        [],
        ["{'g': {'v': 'x'}, 'z': {'v': 'x'}}", "defaults@ref_path.yaml:1:1 g.v@x.yaml:1:1 z.v@x.yaml:1:1", ""],
    ),
    ("hyd", [], ["{'a': 1}", "a@hyd.yaml:6:1 defaults@hyd.yaml:1:1", ""]),
    ("bad1", [], ["OpenTable({})", "", "a defaults list that is not understood"]),
    ("bad2", [], ["OpenTable({})", "", "a defaults list that is not understood"]),
    ("bad3", [], ["bad3.yaml:2: defaults is not a list; expected a configuration of Hydra"]),
    ("bad4", [], ["OpenTable({})", "", "a defaults list that is not understood"]),
    ("bad5", [], ["OpenTable({})", "", "a defaults list that is not understood"]),
    ("bad6", [], ["OpenTable({})", "", "a defaults list that is not understood"]),
    ("empty", [], ["{}", "", ""]),
    ("nodef", [], ["{'a': 1}", "a@nodef.yaml:2:1 defaults@nodef.yaml:1:1", ""]),
    ("kw", [], ["{'g': {'v': 'y', 'w': 1}}", "defaults@kw.yaml:1:1 g.v@y.yaml:1:1 g.w@y.yaml:2:1", ""]),
    ("cyc", [], ["OpenTable({})", "", "defaults lists refer to each other"]),
    ("cyc2", [], ["OpenTable({})", "", "defaults lists refer to each other"]),
    (
        "outside",
        [],
        [
            "OpenTable({'a': 1})",
            "a@outside.yaml:4:1 defaults@outside.yaml:1:1",
            "a configuration in the defaults list is not in the folder",
        ],
    ),
    (
        "usedeep",
        [],
        [
            "{'deep': {'er': {'d': 1, 'f': {'g': 1}, 'deep': 1}}}",
            "deep.er.d@d.yaml:1:1 deep.er.deep@c.yaml:4:1 deep.er.defaults@c.yaml:1:1 deep.er.f.g@g.yaml:1:1 defaults@usedeep.yaml:1:1",
            "",
        ],
    ),
    (
        "typed",
        [],
        [
            "{'a': 0.0001, 'b': True, 'c': '???', 'd': OPEN}",
            "a@typed.yaml:1:1 b@typed.yaml:2:1 c@typed.yaml:3:1 d@typed.yaml:4:1 hydra@typed.yaml:5:1 hydra.x@typed.yaml:5:9",
            "",
        ],
    ),
    (
        "one.yaml",
        [],
        ["{'a': 1, 'b': {'c': 2, 'd': 1}}", "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3", ""],
    ),
    ("none", [], ["OpenTable({})", "", "a configuration in the defaults list is not in the folder"]),
    ("g/list", [], ["{'g': {'v': 'list', 'w': 1}}", "g.defaults@list.yaml:1:1 g.v@list.yaml:2:1 g.w@y.yaml:2:1", ""]),
    (
        "deep/er/c",
        [],
        [
            "{'deep': {'er': {'d': 1, 'f': {'g': 1}, 'deep': 1}}}",
            "deep.er.d@d.yaml:1:1 deep.er.deep@c.yaml:4:1 deep.er.defaults@c.yaml:1:1 deep.er.f.g@g.yaml:1:1",
            "",
        ],
    ),
    ("../x", [], ["OpenTable({})", "", "a configuration in the defaults list is not in the folder"]),
    (
        "/one",
        [],
        ["{'a': 1, 'b': {'c': 2, 'd': 1}}", "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3", ""],
    ),
    (
        "no_self",
        ["g=y"],
        [
            "{'g': {'v': 'own', 'w': 1, 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5 g.w@y.yaml:2:1",
            "",
        ],
    ),
    (
        "no_self",
        ["g=none"],
        [
            "OpenTable({'g': OpenTable({'v': 'own', 'n': 1})})",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "a configuration in the defaults list is not in the folder",
        ],
    ),
    (
        "no_self",
        ["g=null"],
        [
            "{'g': {'v': 'own', 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    (
        "no_self",
        ["~g"],
        [
            "{'g': {'v': 'own', 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    (
        "no_self",
        ["~g=x"],
        [
            "{'g': {'v': 'own', 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    (
        "no_self",
        ["~g=y"],
        [
            "{'g': {'v': 'own', 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    (
        "no_self",
        ["g.v=5"],
        ["{'g': {'v': 5, 'n': 1}}", "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13", ""],
    ),
    (
        "no_self",
        ["+g@k=y"],
        [
            "{'g': {'v': 'own', 'n': 1}, 'k': {'v': 'y', 'w': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5 k.v@y.yaml:1:1 k.w@y.yaml:2:1",
            "",
        ],
    ),
    (
        "no_self",
        ["+g@_here_=y"],
        [
            "{'g': {'v': 'own', 'n': 1}, 'v': 'y', 'w': 1}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5 v@y.yaml:1:1 w@y.yaml:2:1",
            "",
        ],
    ),
    (
        "no_self",
        ["+o/g2=p"],
        [
            "{'g': {'v': 'own', 'n': 1}, 'o': {'g2': {'u': 'p'}}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5 o.g2.u@p.yaml:1:1",
            "",
        ],
    ),
    (
        "no_self",
        ["++g=y"],
        [
            "OpenTable({'g': OpenTable({'v': OPEN, 'n': OPEN})})",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "the choice of g is not known",
        ],
    ),
    (
        "no_self",
        ["g=x,y"],
        [
            "OpenTable({'g': OpenTable({'v': OPEN, 'n': OPEN})})",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "the choice of g is not known",
        ],
    ),
    (
        "no_self",
        ["g=[x,y]"],
        [
            "{'g': {'v': 'own', 'w': 1, 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5 g.w@y.yaml:2:1",
            "",
        ],
    ),
    ("no_self", ["g={v:1}"], ["{'g': {'v': 1, 'n': 1}}", "defaults@no_self.yaml:1:1", ""]),
    (
        "no_self",
        ["g@k=y"],
        [
            "{'g': {'v': 'own', 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    (
        "no_self",
        ["~g.v"],
        ["{'g': {'n': 1}}", "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13", ""],
    ),
    (
        "no_self",
        ["o/g2=p"],
        [
            "{'g': {'v': 'own', 'n': 1}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    (
        "no_self",
        ["none/g2=p"],
        [
            "{'g': {'v': 'own', 'n': 1}, 'none': {'g2': 'p'}}",
            "defaults@no_self.yaml:1:1 g@no_self.yaml:3:1 g.n@no_self.yaml:3:13 g.v@no_self.yaml:3:5",
            "",
        ],
    ),
    (
        "pk",
        ["g@k=y"],
        [
            "{'k': {'v': 'y', 'w': 1, 'l': {'v': 'y', 'w': 1}}, 'v': 'y', 'w': 1, 'm': {'u': 'p'}, 'o': {'g2': {'u': 'p'}}, 'n': {'u': 'p'}}",
            "defaults@pk.yaml:1:1 k.l.v@y.yaml:1:1 k.l.w@y.yaml:2:1 k.v@y.yaml:1:1 k.w@y.yaml:2:1 m.u@p.yaml:1:1 n.u@p.yaml:1:1 o.g2.u@p.yaml:1:1 v@y.yaml:1:1 w@y.yaml:2:1",
            "",
        ],
    ),
    (
        "pk",
        ["g@_global_=x"],
        [
            "{'k': {'v': 'x', 'l': {'v': 'y', 'w': 1}}, 'v': 'x', 'm': {'u': 'p'}, 'o': {'g2': {'u': 'p'}}, 'n': {'u': 'p'}}",
            "defaults@pk.yaml:1:1 k.l.v@y.yaml:1:1 k.l.w@y.yaml:2:1 k.v@x.yaml:1:1 m.u@p.yaml:1:1 n.u@p.yaml:1:1 o.g2.u@p.yaml:1:1 v@x.yaml:1:1",
            "",
        ],
    ),
    (
        "pk",
        ["~g@k.l"],
        [
            "{'k': {'v': 'x'}, 'v': 'y', 'w': 1, 'm': {'u': 'p'}, 'o': {'g2': {'u': 'p'}}, 'n': {'u': 'p'}}",
            "defaults@pk.yaml:1:1 k.v@x.yaml:1:1 m.u@p.yaml:1:1 n.u@p.yaml:1:1 o.g2.u@p.yaml:1:1 v@y.yaml:1:1 w@y.yaml:2:1",
            "",
        ],
    ),
    (
        "pk",
        ["o/g2@m=q"],
        [
            "{'k': {'v': 'x', 'l': {'v': 'y', 'w': 1}}, 'v': 'y', 'w': 1, 'm': {'q': 1}, 'o': {'g2': {'u': 'p'}}, 'n': {'u': 'p'}}",
            "defaults@pk.yaml:1:1 k.l.v@y.yaml:1:1 k.l.w@y.yaml:2:1 k.v@x.yaml:1:1 m.q@q.yaml:2:1 n.u@p.yaml:1:1 o.g2.u@p.yaml:1:1 v@y.yaml:1:1 w@y.yaml:2:1",
            "",
        ],
    ),
    ("lists", ["g=y"], ["{'g': {'v': 'y', 'w': 1}}", "defaults@lists.yaml:1:1 g.v@y.yaml:1:1 g.w@y.yaml:2:1", ""]),
    ("lists", ["g=[y,x]"], ["{'g': {'v': 'x', 'w': 1}}", "defaults@lists.yaml:1:1 g.v@x.yaml:1:1 g.w@y.yaml:2:1", ""]),
    (
        "rels",
        ["g/h=z"],
        [
            "{'g': {'h': {'v': 'z'}, 'o': {'g2': {'u': 'p'}}, 'v': 'rel'}}",
            "defaults@rels.yaml:1:1 g.defaults@rel.yaml:1:1 g.h.v@z.yaml:1:1 g.o.g2.u@p.yaml:1:1 g.v@rel.yaml:4:1",
            "",
        ],
    ),
    (
        "rels",
        ["o/g2@g.o.g2=q"],
        [
            "{'g': {'h': {'v': 'z'}, 'v': 'rel'}, 'q': 1}",
            "defaults@rels.yaml:1:1 g.defaults@rel.yaml:1:1 g.h.v@z.yaml:1:1 g.v@rel.yaml:4:1 q@q.yaml:2:1",
            "",
        ],
    ),
    ("over", ["g=x"], ["{'g': {'v': 'x'}}", "defaults@over.yaml:1:1 g.v@x.yaml:1:1", ""]),
    (
        "over2",
        ["g=x"],
        ["{'g': {'v': 'x'}, 'from_exp': 1}", "defaults@over2.yaml:1:1 from_exp@e.yaml:5:1 g.v@x.yaml:1:1", ""],
    ),
    ("over2", ["exp=null"], ["{'g': {'v': 'x'}}", "defaults@over2.yaml:1:1 g.v@x.yaml:1:1", ""]),
    (
        "must",
        ["g=y"],
        [
            "{'g': {'v': 'y', 'w': 1}, 'a': 1}",
            "a@must.yaml:4:1 defaults@must.yaml:1:1 g.v@y.yaml:1:1 g.w@y.yaml:2:1",
            "",
        ],
    ),
    (
        "ref",
        ["g=x"],
        [
            "{'g': {'v': 'x'}, 'o': {'g2': {'u': 'p'}}, 'k': {'v': 'x'}}",
            "defaults@ref.yaml:1:1 g.v@x.yaml:1:1 k.v@x.yaml:1:1 o.g2.u@p.yaml:1:1",
            "",
        ],
    ),
    ("null", ["g=x"], ["{'g': {'v': 'x'}, 'a': 1}", "a@null.yaml:4:1 defaults@null.yaml:1:1 g.v@x.yaml:1:1", ""]),
    ("one", ["a=2"], ["{'a': 2, 'b': {'c': 2, 'd': 2}}", "b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3", ""]),
    ("one", ["b.c=3", "~b.d"], ["{'a': 1, 'b': {'c': 3}}", "a@one.yaml:1:1 b@one.yaml:2:1", ""]),
    (
        "one",
        ["+b.e=4", "++f.g=5"],
        [
            "{'a': 1, 'b': {'c': 2, 'd': 1, 'e': 4}, 'f': {'g': 5}}",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3",
            "",
        ],
    ),
    ("one", ["b={z:1}"], ["{'a': 1, 'b': {'c': 2, 'd': 1, 'z': 1}}", "a@one.yaml:1:1", ""]),
    ("one", ["b=1"], ["{'a': 1, 'b': 1}", "a@one.yaml:1:1", ""]),
    (
        "one",
        ["+g=x"],
        [
            "{'a': 1, 'b': {'c': 2, 'd': 1}, 'g': {'v': 'x'}}",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3 g.v@x.yaml:1:1",
            "",
        ],
    ),
    (
        "one",
        ["+g@m.n=x"],
        [
            "{'a': 1, 'b': {'c': 2, 'd': 1}, 'm': {'n': {'v': 'x'}}}",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3 m.n.v@x.yaml:1:1",
            "",
        ],
    ),
    (
        "one",
        ["a/b=1"],
        [
            "{'a': {'b': 1}, 'b': {'c': 2, 'd': {'b': 1}}}",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3",
            "",
        ],
    ),
    (
        "one",
        ["a@b=1"],
        [
            "OpenTable({'a': OPEN, 'b': OpenTable({'c': OPEN, 'd': OPEN})})",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3",
            "a word of the command line cannot be read",
        ],
    ),
    (
        "one",
        ["bad"],
        [
            "OpenTable({'a': OPEN, 'b': OpenTable({'c': OPEN, 'd': OPEN})})",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3",
            "a word of the command line cannot be read",
        ],
    ),
    (
        "one",
        None,
        [
            "OpenTable({'a': OPEN, 'b': OpenTable({'c': OPEN, 'd': OPEN})})",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3",
            "the command line is not known",
        ],
    ),
    (
        "one",
        [UNKNOWN_WORDS],
        [
            "OpenTable({'a': OPEN, 'b': OpenTable({'c': OPEN, 'd': OPEN})})",
            "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3",
            "a word of the command line cannot be read",
        ],
    ),
    (
        "one",
        ["a=" + UNKNOWN],
        ["{'a': OPEN, 'b': {'c': 2, 'd': OPEN}}", "b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3", ""],
    ),
    (
        "one",
        ["--config-name=g/" + UNKNOWN],
        ["OpenTable({})", "", "the command line chooses the folder of configurations"],
    ),
    ("one", ["--config-name=g/x"], ["{'g': {'v': 'x'}}", "g.v@x.yaml:1:1", ""]),
    ("one", ["-cn", "g/x", "a=1"], ["{'g': {'v': 'x'}, 'a': 1}", "g.v@x.yaml:1:1", ""]),
    ("one", ["-cp", "x"], ["OpenTable({})", "", "the command line chooses the folder of configurations"]),
    ("one", ["-cd", "x"], ["OpenTable({})", "", "the command line chooses the folder of configurations"]),
    (
        "one",
        ["hydra.x=1", "b.c=null"],
        ["{'a': 1, 'b': {'c': None, 'd': 1}}", "a@one.yaml:1:1 b@one.yaml:2:1 b.d@one.yaml:4:3", ""],
    ),
    (
        "one",
        ["-m", "a=1,2"],
        ["{'a': OPEN, 'b': {'c': 2, 'd': OPEN}}", "b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3", ""],
    ),
    (
        "typed",
        ["c=1"],
        [
            "{'a': 0.0001, 'b': True, 'c': 1, 'd': OPEN}",
            "a@typed.yaml:1:1 b@typed.yaml:2:1 d@typed.yaml:4:1 hydra@typed.yaml:5:1 hydra.x@typed.yaml:5:9",
            "",
        ],
    ),
    (
        "missing",
        ["a=2"],
        [
            "OpenTable({'a': 2})",
            "defaults@missing.yaml:1:1",
            "a configuration in the defaults list is not in the folder",
        ],
    ),
    ("must", ["a=2"], ["OpenTable({'a': 2})", "", "g is not chosen"]),
    (
        "one",
        ["g=x"],
        ["{'a': 1, 'b': {'c': 2, 'd': 1}}", "a@one.yaml:1:1 b@one.yaml:2:1 b.c@one.yaml:3:3 b.d@one.yaml:4:3", ""],
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("conf")
    for name, text in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / f"{name}.yaml").write_text(text)
    return top


@pytest.mark.parametrize(("name", "words", "expected"), COMPOSED)
def test_exactly_this_is_composed(folder: Path, name: str, words: list[str] | None, expected: list[str]) -> None:
    try:
        composed = compose_config(str(folder), name, words)
    except InputError as error:
        found = [str(error).replace(f"{folder}/", "")]
    else:
        places = " ".join(f"{'.'.join(keys)}@{place}" for keys, place in sorted(composed.places.items()))
        found = [repr(composed.table), places, composed.why_open]
    assert found == expected


def test_a_folder_that_is_not_there_is_a_complaint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"/none: not a folder; expected a folder of Hydra configurations$"):
        compose_config(str(tmp_path / "none"), "a", [])


def test_lists_are_nested_30_times_and_there_are_500_configurations_at_most(tmp_path: Path) -> None:
    for number in range(32):
        (tmp_path / f"c{number}.yaml").write_text(f"defaults: [c{number + 1}]\n" if number < 31 else "x: 1\n")
    assert (compose_config(str(tmp_path), "c1", []).table, repr(compose_config(str(tmp_path), "c0", []).table)) == (
        {"x": 1},
        "OpenTable({})",
    )
    composer = Composer(str(tmp_path))
    for number in range(500):
        composer.load(f"none{number}")
    composer.load("none0")
    with pytest.raises(InputError, match=r": more than 500 configurations; expected a configuration of Hydra$"):
        composer.load("none500")


@pytest.mark.parametrize(
    ("key", "expected"),
    [("g", True), ("g/h", True), ("g/x", False), ("none", False), ("g.h", False), ("../conf0/g", False), ("one", False)],
)  # fmt: skip
def test_a_group_is_a_folder(folder: Path, key: str, expected: bool) -> None:
    assert Composer(str(folder)).is_group(key) is expected


def test_configurations_outside_of_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "group").mkdir()
    (tmp_path / "x.yaml").write_text("outside: 1\n")
    composer = Composer(str(tmp_path / "conf"))
    assert [composer.load(each) for each in ("../x", "a/../../x", f"{tmp_path}/x")] == [None, None, None]
    assert not composer.is_group("../group")
    assert not composer.is_group(str(tmp_path / "group"))
    (tmp_path / "conf" / "y.yaml").write_text("inside: 1\n")
    loaded = composer.load("a/../y")
    assert loaded is not None and loaded[0].table == {"inside": 1}


def test_a_configuration_whose_list_only_overrides_is_under_its_group(tmp_path: Path) -> None:
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "x.yaml").write_text("defaults:\n  - override /hydra/launcher: basic\nv: 1\n")
    (tmp_path / "a.yaml").write_text("defaults:\n  - hydra/launcher: other\n  - g: x\n  - _self_\n")
    assert compose_config(str(tmp_path), "a", []).table == {"g": {"v": 1}}
