"""What is known of what libraries get and make, and which events are recorded. ``#>`` starts what is expected."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.python.executed import known

NOT_RUN_CONFIGURATIONS = r"""
from trl import GRPOConfig
c = GRPOConfig('out', beta=0.1, **{'num_generations': 4})
c.bf16 = True
x = [c.beta, c.num_generations, c.use_vllm, c.vllm_mode, c.optim, c.to_dict, c.__len__]
#> c = trl.GRPOConfig(output_dir='out' @2:16, beta=0.1 @2:28, num_generations=4 @2:55, bf16=True @3:10) @2:5
#> x = [0.1 @4:6, 4 @4:14, False (default) @4:33, <has the default of its class> @4:45, <has the default of its class> @4:58, to_dict of trl.GRPOConfig(output_dir='out' @2:16, beta=0.1 @2:28, num_generations=4 @2:55, bf16=True @3:10) @4:67, __len__ of trl.GRPOConfig(output_dir='out' @2:16, beta=0.1 @2:28, num_generations=4 @2:55, bf16=True @3:10) @4:78] @4:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(output_dir='out' @2:16, beta=0.1 @2:28, num_generations=4 @2:55)) @2:5
#> may raise

from trl import GRPOConfig
c = GRPOConfig('out', 'more', beta=0.1)
#> c = trl.GRPOConfig(output_dir=<positional arguments are given: 'out'> @2:16, beta=0.1 @2:36, **positional arguments are given) @2:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(output_dir=<positional arguments are given: 'out'> @2:16, beta=0.1 @2:36, **positional arguments are given)) @2:5
#> may raise

from trl import GRPOConfig
d = {'beta': 1}
if A:
    d['beta'] = 2
    d['bf16'] = True
c = GRPOConfig(**d)
#> d = {'beta': <depends on a condition: 2 or 1> @2:14, 'bf16': maybe True @5:17} @2:5
#> c = trl.GRPOConfig(beta=<depends on a condition: 2 or 1> @2:14, bf16=maybe True @5:17) @6:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=<depends on a condition: 2 or 1> @2:14, bf16=maybe True @5:17)) @6:5
#> may raise

from trl import GRPOConfig
c = GRPOConfig(beta=1, **U)
x = c.use_vllm
#> c = trl.GRPOConfig(beta=<U is given: 1> @2:21, **U is given) @2:5
#> x = <U is given> @3:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=<U is given: 1> @2:21, **U is given)) @2:5
#> may raise

import trl
from transformers import TrainingArguments
from peft import LoraConfig
a = trl.GRPOConfig()
b = TrainingArguments('out')
l = LoraConfig(r=8)
#> a = trl.GRPOConfig() @4:5
#> b = transformers.TrainingArguments(output_dir='out' @5:23) @5:5
#> l = peft.LoraConfig(r=8 @6:18) @6:5
#> import trl() @1:1
#> import transformers() @2:1
#> configuration GRPOConfig(self=trl.GRPOConfig()) @4:5
#> configuration TrainingArguments(self=transformers.TrainingArguments(output_dir='out' @5:23)) @5:5
#> adapter LoraConfig(r=8 @6:18) @6:5
#> may raise

from elsewhere import GRPOConfig, OtherConfig, SomeArgs
a = GRPOConfig(beta=1)
b = OtherConfig(vllm_mode='server')
c = OtherConfig(mode=1)
d = SomeArgs(1)
x = [a.use_vllm, b.use_vllm, c.mode, c.other]
#> a = elsewhere.GRPOConfig(beta=1 @2:21, **elsewhere.GRPOConfig was not found, so that its defaults are not known) @2:5
#> b = elsewhere.OtherConfig(vllm_mode='server' @3:27, **elsewhere.OtherConfig was not found, so that its defaults are not known) @3:5
#> c = elsewhere.OtherConfig(mode=1 @4:22, **elsewhere.OtherConfig was not found, so that its defaults are not known) @4:5
#> d = elsewhere.SomeArgs(**elsewhere.SomeArgs was not found, so that its defaults are not known) @5:5
#> x = [<elsewhere.GRPOConfig was not found, so that its defaults are not known> @6:6, <elsewhere.OtherConfig was not found, so that its defaults are not known> @6:18, 1 @6:30, <elsewhere.OtherConfig was not found, so that its defaults are not known> @6:38] @6:5
#> configuration GRPOConfig(self=elsewhere.GRPOConfig(beta=1 @2:21, **elsewhere.GRPOConfig was not found, so that its defaults are not known)) @2:5
#> configuration OtherConfig(self=elsewhere.OtherConfig(vllm_mode='server' @3:27, **elsewhere.OtherConfig was not found, so that its defaults are not known)) @3:5
#> may raise

from trl import GRPOConfig
if A:
    c = GRPOConfig(beta=1)
else:
    c = GRPOConfig(beta=2)
c.bf16 = True
x = c.beta
#> c = trl.GRPOConfig(beta=1 @3:25, bf16=maybe True @6:10) | trl.GRPOConfig(beta=2 @5:25, bf16=maybe True @6:10) @5:9
#> x = <depends on a condition: 1 or 2> @7:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @3:25)) @3:9 if depends on a condition
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=2 @5:25)) @5:9 if depends on a condition
#> may raise

from trl import GRPOConfig
c = GRPOConfig()
if A:
    c.num_iterations = 3
x = c.num_iterations
y = c.use_vllm
#> c = trl.GRPOConfig(num_iterations=maybe 3 @4:24) @2:5
#> x = <depends on a condition: 3 or 1> @5:5
#> y = False (default) @6:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig()) @2:5
#> may raise

from trl import GRPOConfig
c = GRPOConfig(beta=1)
F(c)
x = c.use_vllm
c.use_vllm = True
#> c = trl.GRPOConfig(beta=<F() may change it: 1> @2:21, use_vllm=True @5:14, **F() may change it) @2:5
#> x = <F() may change it> @4:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @2:21)) @2:5
#> may raise

from trl import GRPOConfig
try:
    c = GRPOConfig(beta=1)
    F()
except ValueError:
    c = None
#> c = trl.GRPOConfig(beta=1 @3:25) | None @6:9
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @3:25)) @3:9 if an exception before it is caught
#> may raise

from trl import GRPOConfig
try:
    c = GRPOConfig(beta=1)
    F()
    c.beta = 2
except ValueError:
    pass
#> c = maybe trl.GRPOConfig(beta=<depends on a condition: 2 or 1> @5:14) @3:9
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @3:25)) @3:9 if an exception before it is caught
#> may raise

from trl import GRPOConfig
for i in L:
    c = GRPOConfig(beta=i)
for j in (1, 2):
    d = GRPOConfig(beta=j)
#> i = maybe <computed at run time>
#> c = maybe trl.GRPOConfig(beta=<computed at run time> @3:25) @3:9
#> j = 2 @4:14
#> d = trl.GRPOConfig(beta=2 @5:25) @5:9
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=<computed at run time> @3:25)) @3:9 if changed in a loop
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @5:25)) @5:9
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=2 @5:25)) @5:9
#> may raise

from trl import GRPOConfig
c = GRPOConfig(beta=1)
x = {**c, 'a': 2}
F(c)
y = dict(c)
#> c = trl.GRPOConfig(beta=<F() may change it: 1> @2:21, **F() may change it) @2:5
#> x = {'beta': 1 @2:21, 'a': 2 @3:16} @3:5
#> y = {'beta': <F() may change it: 1> @2:21, **F() may change it} @5:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @2:21)) @2:5
#> may raise

from trl import GRPOConfig
x = [GRPOConfig(beta=i) for i in L]
y = [GRPOConfig(beta=i) for i in (1, 2)]
z = A and GRPOConfig(beta=3)
w = list(GRPOConfig(beta=i) for i in (4,))
#> x = [*<computed at run time>] @2:5
#> y = [trl.GRPOConfig(beta=1 @3:22) @3:6, trl.GRPOConfig(beta=2 @3:22) @3:6] @3:5
#> z = <A is given> | trl.GRPOConfig(beta=3 @4:27) @4:5
#> w = [trl.GRPOConfig(beta=4 @5:26) @5:10] @5:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=<computed at run time> @2:22)) @2:6 if depends on a condition
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @3:22)) @3:6
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=2 @3:22)) @3:6
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=3 @4:27)) @4:11 if depends on a condition
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=4 @5:26)) @5:10 if it is evaluated lazily
#> may raise

from trl import GRPOConfig
c = GRPOConfig(beta=1)
c['bf16'] = True
del c.beta
x = [c['bf16'], c['fp16'], c[U]]
#> c = trl.GRPOConfig(bf16=True @3:13) @2:5
#> x = [True @5:6, <computed at run time> @5:17, <computed at run time> @5:28] @5:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @2:21)) @2:5
#> may raise
"""

NOT_RUN_CLASSES = r"""
from dataclasses import dataclass, field
from trl import GRPOConfig
@dataclass
class M(GRPOConfig):
    beta: float = 0.5
    extra: list = field(default_factory=list)
m = M('out', extra=[1])
n = M(num_iterations=2)
#> M = class M(beta=0.5 @5:19)
#> m = M(beta=0.5 @5:19, extra=[1 @7:21] @7:20, output_dir='out' @7:7) @7:5
#> n = M(beta=0.5 @5:19, extra=[] @6:41, num_iterations=2 @8:22) @8:5
#> import trl() @2:1
#> configuration GRPOConfig(self=M(beta=0.5 @5:19, extra=[1 @7:21] @7:20, output_dir='out' @7:7)) @7:5
#> configuration GRPOConfig(self=M(beta=0.5 @5:19, extra=[] @6:41, num_iterations=2 @8:22)) @8:5
#> may raise

from trl import GRPOConfig
class M(GRPOConfig):
    beta: float = 0.5
    def __post_init__(self):
        super().__post_init__()
        self.use_vllm = True
m = M(beta=1)
#> M = class M(beta=0.5 @3:19)
#> m = M(beta=1 @7:12, use_vllm=True @6:25) @7:5
#> import trl() @1:1
#> configuration GRPOConfig(self=M(beta=1 @7:12, use_vllm=True @6:25)) @7:5
#> may raise

from trl import GRPOConfig
class M(GRPOConfig):
    def __init__(self, n):
        super().__init__(num_generations=n)
        self.beta = 1
m = M(4)
#> M = class M()
#> m = M(num_generations=4 @4:42, beta=1 @5:21) @6:5
#> import trl() @1:1
#> configuration GRPOConfig(self=M(num_generations=4 @4:42, beta=1 @5:21)) @6:5
#> may raise

from trl import GRPOConfig
class M(GRPOConfig):
    def __init__(self, n):
        GRPOConfig.__init__(self, num_generations=n)
m = M(4)
#> M = class M()
#> m = M(num_generations=4 @4:51) @5:5
#> import trl() @1:1
#> configuration GRPOConfig(self=M(num_generations=4 @4:51)) @5:5
#> may raise

from trl import GRPOConfig
class M(GRPOConfig):
    def __init__(self, n):
        GRPOConfig.__init__(self, 'out', num_generations=n)
m = M(4)
#> M = class M()
#> m = M(num_generations=<positional arguments are given: 4> @4:58, **positional arguments are given) @5:5
#> import trl() @1:1
#> configuration GRPOConfig(self=M(num_generations=<positional arguments are given: 4> @4:58, **positional arguments are given)) @5:5
#> may raise

from trl import GRPOConfig
from elsewhere import register, change
@register
class M(GRPOConfig):
    n = 1
@change
class N(GRPOConfig):
    n = 1
@U
class O(GRPOConfig):
    n = 1
m, n, o = M(), N(), O()
#> M = class M(n=1 @5:9)
#> N = class N(n=<the class is changed by a decorator: 1> @8:9)
#> O = class O(n=<the class is changed by a decorator: 1> @11:9)
#> m = M() @12:11
#> n = N(**its class cannot be followed) @12:16
#> o = O(**its class cannot be followed) @12:21
#> import trl() @1:1
#> configuration GRPOConfig(self=M()) @12:11
#> configuration GRPOConfig(self=N(**its class cannot be followed)) @12:16
#> configuration GRPOConfig(self=O(**its class cannot be followed)) @12:21
#> may raise

from dataclasses import dataclass
from typing import ClassVar
@dataclass
class P:
    beta: float = 1
    k: ClassVar = 2
    other: int
@dataclass
class Q(P):
    bf16: bool = True
q = Q(2, 3, False, 5)
r = Q(other=1)
#> P = class P(beta=1 @5:19, k=2 @6:19)
#> Q = class Q(bf16=True @10:18)
#> q = Q(beta=<positional arguments are given: 2> @11:7, bf16=<positional arguments are given: False> @11:13, other=<positional arguments are given: 3> @11:10, **positional arguments are given) @11:5
#> r = Q(beta=1 @5:19, bf16=True @10:18, other=1 @12:13) @12:5

from dataclasses import dataclass
import dataclasses
@dataclass
class P:
    a: int = dataclasses.field()
    b: int = dataclasses.field(default=3, metadata={'help': 'b'})
    c: list = dataclasses.field(default_factory=lambda: [U])
p = P()
q = P(1)
x = [q.a, P.a, P.b, P.c]
#> P = class P(b=3 @6:40)
#> p = P(b=3 @6:40, c=[<U is given> @7:58] @7:49) @8:5
#> q = P(b=3 @6:40, c=[<U is given> @7:58] @7:49, a=1 @9:7) @9:5
#> x = [1 @10:6, a of class P(b=3 @6:40) @10:11, 3 @10:16, c of class P(b=3 @6:40) @10:21] @10:5

from trl import GRPOTrainer
class T(GRPOTrainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
t = T('m', reward_funcs=len)
x = t.train()
#> T = class T()
#> t = T() @5:5
#> x = <computed at run time> @6:5
#> import trl() @1:1
#> trainer GRPOTrainer(reward_funcs=builtin len @5:25, model='m' @5:7) @4:9
#> resume train(from=None @6:5) @6:5
#> may raise

from trl import GRPOTrainer
class T(GRPOTrainer):
    pass
t = T('m')
x = t.train()
#> T = class T()
#> t = T() @4:5
#> x = <computed at run time> @5:5
#> import trl() @1:1
#> trainer GRPOTrainer(model='m' @4:7) @4:5
#> resume train(from=None @5:5) @5:5
#> may raise

from trl import GRPOTrainer, GRPOConfig
c = GRPOConfig(beta=1)
t = GRPOTrainer('m', args=c, reward_funcs=len)
u = GRPOTrainer(model='m', args=c, **U)
c.beta = 2
#> c = trl.GRPOConfig(beta=2 @5:10, **U is given) @2:5
#> t = trl.GRPOTrainer() @3:5
#> u = trl.GRPOTrainer() @4:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @2:21)) @2:5
#> trainer GRPOTrainer(args=trl.GRPOConfig(beta=1 @2:21) @3:27, reward_funcs=builtin len @3:43, model='m' @3:17, made=trl.GRPOConfig(beta=2 @5:10, **U is given) @3:27) @3:5
#> trainer GRPOTrainer(model=<U is given: 'm'> @4:23, args=<U is given> @4:33, made=<U is given> @4:33, **U is given) @4:5
#> may raise

from trl import GRPOTrainer, GRPOConfig
c = GRPOConfig(beta=1) if A else GRPOConfig(beta=2)
t = GRPOTrainer('m', len, c)
#> c = trl.GRPOConfig(beta=1 @2:21) | trl.GRPOConfig(beta=2 @2:50) @2:5
#> t = trl.GRPOTrainer() @3:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @2:21)) @2:5 if depends on a condition
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=2 @2:50)) @2:34 if depends on a condition
#> trainer GRPOTrainer(model='m' @3:17, args=trl.GRPOConfig(beta=1 @2:21) | trl.GRPOConfig(beta=2 @2:50) @3:27, made=trl.GRPOConfig(beta=1 @2:21) | trl.GRPOConfig(beta=2 @2:50) @3:27) @3:5
#> may raise

class M(F):
    beta = 1
    def f(self):
        return self.beta
m = M(4)
x = m.f()
#> M = class M(beta=<a base of the class is not known: 1> @2:12)
#> m = M(**its class cannot be followed) @5:5
#> x = <its class cannot be followed: 1> @6:5

class K:
    n = 1
    def f(self):
        return 2
    @property
    def p(self):
        return 3
k = K()
F(k)
x = [k.n, k.m, k.p, k.f, k.g, k.f()]
#> K = class K(n=1 @2:9)
#> k = K(**F() may change it) @8:5
#> x = [<F() may change it: 1> @10:6, <F() may change it> @10:11, <F() may change it: 3> @10:16, def f() of K(**F() may change it) @10:21, <F() may change it> @10:26, 2 @10:31] @10:5
#> may raise

class K:
    a: int = 1
    b: int
k = K()
x = [k.a, k.b]
#> K = class K(a=1 @2:14)
#> k = K() @4:5
#> x = [1 @5:6, b of K() @5:11] @5:5

class K:
    def __getattribute__(self, name):
        return 5
class L_(K):
    pass
k, l = K(), L_()
#> K = class K()
#> L_ = class L_()
#> k = K(**its class computes its attributes) @6:8
#> l = L_(**its class computes its attributes) @6:13

class K:
    @property
    def p(self):
        return self.n
    def __init__(self):
        self.__dict__['p'] = 3
        self.n = 2
k = K()
x = k.p
#> K = class K()
#> k = K(p=<computed by a property of its class> @8:5, n=2 @7:18) @8:5
#> x = 2 @9:5

class K:
    def __init__(self, **settings):
        self.__dict__.update(settings)
        for name, value in settings.items():
            setattr(self, name, value)
k = K(a=1)
l = K(**D)
#> K = class K()
#> k = K(a=1 @5:33) @6:5
#> l = K(**D is given) @7:5
#> may raise

class K:
    @classmethod
    def make(cls, **settings):
        return cls(**settings)
    def __init__(self, n=1):
        self.n = n
k = K.make(n=2)
#> K = class K()
#> k = K(n=2 @6:18) @7:5

class K:
    def f(self):
        l.append(self.n)
    def g(self):
        from trl import GRPOConfig
        GRPOConfig()
    n = 1
l = [1]
k = K()
F(k)
#> K = class K(n=1 @7:9)
#> l = [*<depends on a condition>] @8:5
#> k = K(**F() may change it) @9:5
#> import trl() @5:9 if F() may change it
#> configuration GRPOConfig(self=trl.GRPOConfig()) @6:9 if F() may change it
#> may raise

class P:
    def f(self):
        l.append(self.n)
class K(P):
    n = 1
l = [1]
k = K()
F(k)
#> P = class P()
#> K = class K(n=1 @5:9)
#> l = [*<depends on a condition>] @6:5
#> k = K(**F() may change it) @7:5
#> may raise

import copy
class K:
    n = [1]
k = K()
k.m = [2]
F(k)
l = copy.deepcopy(k)
d = copy.deepcopy({'a': l, **D})
#> K = class K(n=[1 @3:10] @3:9)
#> k = K(m=<F() may change it> @5:7, **F() may change it) @4:5
#> l = K(m=<D is given> @5:7, **D is given) @7:5
#> d = {'a': <D is given> @8:25, **D is given} @8:5
#> may raise

class K:
    n = 1
    def f(self):
        return 2
F(K)
k = K()
x = [K.n, K.m, k.n, k.f()]
#> K = class K(n=<F() may change it: 1> @2:9, f=<F() may change it>, <open>='F() may change it')
#> k = K(**k.f() may change it) @6:5
#> x = [<F() may change it: 1> @7:6, <F() may change it> @7:11, <F() may change it: 1> @7:16, <computed at run time> @7:21] @7:5
#> may raise

class K:
    pass
K.n = 1
x = K.n
k = K
del k.n
y = K.n
z = K.m
#> K = class K()
#> x = 1 @4:5
#> k = class K() @5:5
#> y = n of class K() @7:5
#> z = m of class K() @8:5
"""

NOT_RUN_CALLS = r"""
import torch, vllm, trl, unknown_package
from unknown_package import thing
l = [1]
torch.save(l)
m = [1]
thing(m)
n = [1]
unknown_package.a.b(n, U)
#> l = [1 @3:6] @3:5
#> m = [*<thing() may change it>, **thing() may change it] @5:5
#> n = [*<unknown_package.a.b() may change it>, **unknown_package.a.b() may change it] @7:5
#> import vllm() @1:1
#> import trl() @1:1
#> may raise

import os, unknown_package
os.environ['A_B'] = '1'
x = os.environ['A_B']
unknown_package.run()
y = os.environ['A_B']
#> x = '1' @3:5
#> y = <unknown_package.run() may change it: '1'> @5:5
#> may raise

import os, dotenv
os.environ['A_B'] = '1'
dotenv.load_dotenv()
y = os.environ['A_B']
z = os.environ.get('C_D')
#> y = <dotenv.load_dotenv() may change it: '1'> @4:5
#> z = <read from an environment variable: None> @5:5
#> may raise

import os, torch
os.environ['A_B'] = '1'
torch.run(os.environ)
x = os.environ['A_B']
#> x = '1' @4:5
#> may raise

import os
from unittest import mock
os.environ['A_B'] = '1'
mock.patch.dict(os.environ, U)
x = os.environ['A_B']
#> x = <mock.patch.dict() may change it: '1'> @5:5
#> may raise

import torch
l = [1]
torch.apply(lambda: l.append(2))
#> l = [*<depends on a condition>] @2:5
#> may raise

import torch
l = [1]
def f():
    l.append(2)
def g():
    l.append(3)
torch.apply([f, g])
#> l = [*<depends on a condition>] @2:5
#> f = def f()
#> g = def g()
#> may raise

import torch
l = [1]
k = [2]
torch.apply([l, k])
#> l = [1 @2:6] @2:5
#> k = [2 @3:6] @3:5
#> may raise

import logging
logger = logging.getLogger()
l = [1]
logger.info(l)
logger.anything(l)
U.info(l)
print(l)
#> logger = <computed at run time> @2:10
#> l = [*<logger.anything() may change it>, **logger.anything() may change it] @3:5
#> may raise

l = [1]
l.attribute.call()
k = [1]
k[0].call(k)
#> l = [*<l.attribute.call() may change it>, **l.attribute.call() may change it] @1:5
#> k = [1 @3:6] @3:5
#> may raise

import trl
trl.GRPOConfig.beta = 5
c = trl.GRPOConfig(num_iterations=2)
x = trl.GRPOConfig.beta
y = trl.GRPOConfig.other
#> c = trl.GRPOConfig(num_iterations=<the script changes the class: 2> @3:35, **the script changes the class) @3:5
#> x = <the script replaces it> @4:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(num_iterations=<the script changes the class: 2> @3:35, **the script changes the class)) @3:5
#> may raise

from trl import GRPOConfig
c = GRPOConfig(beta=1)
d = GRPOConfig
d.__init__ = U
e = GRPOConfig(beta=1)
#> c = trl.GRPOConfig(beta=<the script changes the class: 1> @2:21, **the script changes the class) @2:5
#> e = trl.GRPOConfig(beta=<the script changes the class: 1> @5:21, **the script changes the class) @5:5
#> import trl() @1:1
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=1 @2:21)) @2:5
#> configuration GRPOConfig(self=trl.GRPOConfig(beta=<the script changes the class: 1> @5:21, **the script changes the class)) @5:5
#> may raise

import torch
x = [torch.bfloat16, torch.float8_e4m3fn, torch.int8, torch.nn.x]
import typing
y = typing.TYPE_CHECKING
z = [unbound_name, unbound_name.attribute]
w = __file__
#> x = ['bfloat16' @2:6, 'float8_e4m3fn' @2:22, torch.int8 @2:43, torch.nn.x @2:55] @2:5
#> y = False @4:5
#> z = [builtin unbound_name @5:6, builtin unbound_name.attribute @5:20] @5:5
#> w = 'train.py' @6:5
#> may raise

from pathlib import Path
p = Path('a/b/c.py')
x = [p.parent, p.name, p.parent.parent, Path(__file__).parent, p.stem, 'a/b'.parent]
#> p = 'a/b/c.py' @2:5
#> x = ['a/b' @3:6, 'c.py' @3:16, 'a' @3:24, '.' @3:41, stem of 'a/b/c.py' @3:64, 'a' @3:72] @3:5

from pathlib import Path
p = Path('a/b/c.py')
x = [p.parents[0], p.parents[1], p.parents[2], Path('.') / 'd', p / '/e', Path('/') / 'f']
#> p = 'a/b/c.py' @2:5
#> x = ['a/b' @3:6, 'a' @3:20, '.' @3:34, 'd' @3:48, '/e' @3:65, '/f' @3:75] @3:5

import os.path
import os.path as path
import os as operating
import some_a.b.c
import some_a.b.c as d
from . import e
from .f import g as h
from os import environ as env
x = [os.path.join('a', 'b'), path.join('a'), some_a.b.c.d, d.e, e.x, h.y]
env['A_B'] = '1'
y = operating.environ['A_B']
#> env = {'A_B': '1' @10:14}
#> x = ['a/b' @9:6, 'a' @9:30, some_a.b.c.d @9:46, some_a.b.c.e @9:60, package.e.x @9:65, package.f.g.y @9:70] @9:5
#> y = '1' @11:5
#> may raise

from nowhere import *
x = unbound_name
#> may raise

import vllm, trl, transformers, vcompat, unsloth, torch
if A:
    import vllm.sub
try:
    import trl.x
except ImportError:
    pass
#> import vllm() @1:1
#> import trl() @1:1
#> import transformers() @1:1
#> import vcompat() @1:1
#> import unsloth() @1:1
#> import vllm.sub() @3:5 if depends on a condition
#> import vllm() @3:5 if depends on a condition
#> import trl.x() @5:5 if an exception before it is caught
#> import trl() @5:5 if an exception before it is caught
#> may raise

import vcompat
vcompat.patch()
vcompat.patch('a', skip=['b'], **U)
vcompat.other(1)
#> import vcompat() @1:1
#> patch vcompat.patch() @2:1
#> patch vcompat.patch(skip=<U is given> @3:25, only='a' @3:15, **U is given) @3:1
#> other patch call vcompat.other() @4:1
#> may raise

from vllm import LLM, EngineArgs
e = LLM('m', tensor_parallel_size=2)
f = EngineArgs(model='m')
from elsewhere import LLM
g = LLM(model='m')
#> e = vllm.LLM(model='m' @2:9, tensor_parallel_size=2 @2:35) @2:5
#> f = vllm.EngineArgs(model='m' @3:22) @3:5
#> g = elsewhere.LLM(model='m' @5:15, **elsewhere.LLM was not found, so that its defaults are not known) @5:5
#> import vllm() @1:1
#> engine LLM(model='m' @2:9, tensor_parallel_size=2 @2:35) @2:5
#> engine EngineArgs(model='m' @3:22) @3:5
#> engine LLM(model=<elsewhere.LLM was not found, so that it may be another class than vLLM's: 'm'> @5:15, **elsewhere.LLM was not found, so that it may be another class than vLLM's) @5:5
#> may raise

from transformers import AutoModelForCausalLM
m = AutoModelForCausalLM.from_pretrained('m', dtype='float16')
n = AutoModelForCausalLM.from_pretrained(pretrained='n')
#> m = <loaded by from_pretrained> @2:5
#> n = <loaded by from_pretrained> @3:5
#> import transformers() @1:1
#> model AutoModelForCausalLM(dtype='float16' @2:53, model='m' @2:42) @2:5
#> model AutoModelForCausalLM(pretrained='n' @3:53) @3:5
#> may raise

def f():
    f.attribute = 1
f()
f.x = 1
x = f.x
(lambda: 1).y = 1
'a'.x = 1
U.x = 2
#> f = def f()
#> x = x of def f() @5:5
#> may raise

import types
a = types.SimpleNamespace(n=1)
b = a.__dict__
b['m'] = 2
x = [a.m, a.__class__]
c = U.__dict__
d = [1].__dict__
#> a = argparse.Namespace(n=1 @2:29, m=2 @4:10) @2:5
#> b = {'n': 1 @2:29, 'm': 2 @4:10} @3:5
#> x = [2 @5:6, argparse.Namespace @5:11] @5:5
#> c = <U is given> @6:5
#> d = {<items>: Items} @7:5
#> may raise

x = globals()
y = 1
globals()['z'] = 2
w = z
#> x = module train.py @1:5
#> y = 1 @2:5
#> z = 2 @3:18
#> w = 2 @4:5

exec(U)
x = 1
def f():
    return x
y = [x, f()]
#> A = <unknown code is executed>
#> B = <unknown code is executed>
#> U = <unknown code is executed>
#> C = <unknown code is executed>
#> L = <unknown code is executed>
#> D = <unknown code is executed>
#> F = <unknown code is executed>
#> x = 1 @2:5
#> f = def f()
#> y = [1 @5:6, 1 @5:9] @5:5
#> may raise

x, l = 1, [1]
def f():
    return 1
exec(U)
y = x
z = f()
w = never_bound
#> A = <unknown code is executed>
#> B = <unknown code is executed>
#> U = <unknown code is executed>
#> C = <unknown code is executed>
#> L = <unknown code is executed>
#> D = <unknown code is executed>
#> F = <unknown code is executed>
#> x = <unknown code is executed>
#> l = <unknown code is executed>
#> f = def f()
#> y = <unknown code is executed> @5:5
#> z = 1 @6:5
#> may raise

x = {'l': [1]}
y = x['l']
class K:
    n = 1
k = K()
exec(U)
z = [y, K.n, k]
#> A = <unknown code is executed>
#> B = <unknown code is executed>
#> U = <unknown code is executed>
#> C = <unknown code is executed>
#> L = <unknown code is executed>
#> D = <unknown code is executed>
#> F = <unknown code is executed>
#> x = <unknown code is executed>
#> y = <unknown code is executed>
#> K = class K(n=1 @4:9)
#> k = <unknown code is executed>
#> z = [<unknown code is executed> @7:6, 1 @7:9, <unknown code is executed> @7:14] @7:5
#> may raise

l = [1]
m = [l]
def f():
    return [l, m]
exec(U)
x = f()
#> A = <unknown code is executed>
#> B = <unknown code is executed>
#> U = <unknown code is executed>
#> C = <unknown code is executed>
#> L = <unknown code is executed>
#> D = <unknown code is executed>
#> F = <unknown code is executed>
#> l = <unknown code is executed>
#> m = <unknown code is executed>
#> f = def f()
#> x = [<unknown code is executed> @4:13, <unknown code is executed> @4:16] @6:5
#> may raise

x = 1
exec('x = 2\nraise ValueError')
x = 3
#> x = 2 @2:5

exec('x = (')
y = 1
#> y = 1 @2:5
#> may raise

exec('x = 1\ny = [\n  2]')
z = [x, y]
#> x = 1 @1:5
#> y = [2 @3:3] @2:5
#> z = [1 @2:6, [2 @3:3] @2:9] @2:5

import functools
f = functools.partial(F, 1, n=[2])
x = f.func
y = f.args
z = f()
#> f = partial <F is given>(1 @2:26, n=[*<f() may change it>, **f() may change it] @2:31) @2:5
#> x = <F is given> @3:5
#> y = args of partial <F is given>(1 @2:26, n=[*<f() may change it>, **f() may change it] @2:31) @4:5
#> z = <F is given> @5:5
#> may raise

@F
def f(a, b=2):
    return [a, b]
x = f()
y = f(1)
#> f = def f(b=2 @2:12)
#> x = [<given by its decorator> @3:13, <given by its decorator: 2> @3:16] @4:5
#> y = [1 @3:13, <given by its decorator: 2> @3:16] @5:5

from dataclasses import dataclass
import hydra
@hydra.main(config_path=None)
def main(cfg):
    d['cfg'] = cfg
d = {}
main()
#> main = Native
#> d = {'cfg': <composed by Hydra> @5:16} @6:5
#> may raise

import other, hydra
@other.main
def f(n):
    return [n]
@hydra.other
def g(n):
    return [n]
x = [f(1), g(2)]
y = [f(), g()]
#> f = def f()
#> g = def g()
#> x = [[1 @4:13] @8:6, [2 @7:13] @8:12] @8:5
#> y = [[<taken from the command line> @4:13] @9:6, [<given by its decorator> @7:13] @9:11] @9:5
#> may raise

import click
@click.command()
@click.option('--n', default=3)
def main(n, m=4):
    return [n, m]
x = main()
y = main(5)
#> main = def main(m=4 @4:15)
#> x = [<taken from the command line> @5:13, <taken from the command line: 4> @5:16] @6:5
#> y = [5 @5:13, <taken from the command line: 4> @5:16] @7:5
#> may raise

import functools, torch
@functools.lru_cache(None)
@torch.no_grad()
def f(a):
    return a
x = f(3)
#> f = def f()
#> x = 3 @6:5
#> may raise

import elsewhere
@elsewhere.decorate
def f(a, b=2):
    return [a, b]
x = f()
y = f(1, b=3)
#> f = def f(b=2 @3:12)
#> x = [<given by its decorator> @4:13, <given by its decorator: 2> @4:16] @5:5
#> y = [1 @4:13, 3 @4:16] @6:5
#> may raise

import elsewhere
def f(a):
    return a
g = elsewhere.decorate(f)
x = g(2)
#> f = def f()
#> g = <computed at run time> @4:5
#> x = <computed at run time> @5:5
#> may raise

with open('f') as f:
    x = f
with U as u:
    y = u
import contextlib
with contextlib.suppress(ValueError):
    F()
    z = 1
with contextlib.nullcontext() as n:
    w = n
#> f = io.TextIOWrapper(path='f')
#> x = io.TextIOWrapper(path='f') @2:9
#> u = <U is given>
#> y = <U is given> @4:9
#> z = maybe 1 @8:9
#> n = <computed at run time>
#> w = <computed at run time> @10:9
#> may raise

import contextlib, pytest
x = 1
with pytest.raises(ValueError):
    x = 2
    F()
    x = 3
with open('f'):
    x = 4
#> x = 4 @8:9
#> may raise

import elsewhere
with elsewhere.suppress(ValueError), open('a'):
    d = {}
    F()
    d['a'] = 1
#> d = maybe {'a': maybe <depends on a condition: 1> @5:14} @3:9
#> may raise

F.a_very_long_name_of_an_attribute.another_very_long_name.and_a_third_one(l := [1])
#> l = [*<F.a_very_long_name_of_an_attribute.another_very_long_name.an() may change it>, **F.a_very_long_name_of_an_attribute.another_very_long_name.an() may change it] @1:80
#> may raise

x = super()
y = print(1)
z = [int, int('3'), type(1), len]
#> x = <computed at run time> @1:5
#> y = <computed at run time> @2:5
#> z = [builtin int @3:6, 3 @3:11, <computed at run time> @3:21, builtin len @3:30] @3:5
#> may raise
"""

CASES = "\n\n".join(table.strip("\n") for table in (NOT_RUN_CONFIGURATIONS, NOT_RUN_CLASSES, NOT_RUN_CALLS)).split(
    "\n\n"
)


@pytest.mark.parametrize("case", CASES)
def test_what_is_known_of_objects_of_libraries(case: str) -> None:
    lines = case.splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#> "))
    assert known(text).splitlines() == [line[3:] for line in lines if line.startswith("#> ")]
