"""Spellings of numpy.random."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import given, number, sizes
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.randoms import from_dims, sampled, trailing
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Symbol, Tensor, Unknown
from cudnnlint.values.unknown import LONG_RANGE, OPEN_RANGE, Counted, Drawn


@function("numpy.random.rand", "numpy.random.randn")
def rand(d0: Any = None, d1: Any = None, d2: Any = None, d3: Any = None, d4: Any = None, d5: Any = None,
         d6: Any = None, d7: Any = None) -> Outcome:
    """rand(d0, d1, ..., dn): the extents are the arguments."""
    return from_dims(given(d0, d1, d2, d3, d4, d5, d6, d7), "np.random.rand")


@function("numpy.random.random", "numpy.random.random_sample", "numpy.random.ranf", "numpy.random.sample",
          "numpy.random.standard_normal", "numpy.random.standard_exponential", "numpy.random.standard_cauchy")
def random(size: Any = None) -> Outcome:
    return sampled(size, "np.random.random")


@function("numpy.random.randint")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Outcome:
    bounds = [bound for bound in (low, high) if bound is not None]
    return sampled(size, "np.random.randint", *bounds, dtype=as_dtype(dtype, "int64", "numpy"))


@function("numpy.random.random_integers")
def random_integers(low: Any, high: Any = None, size: Any = None) -> Outcome:
    return sampled(size, "np.random.random_integers", low, dtype="int64")


@function("numpy.random.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Outcome:
    return sampled(size, "np.random.uniform", low, high)


@function("numpy.random.normal", "numpy.random.laplace", "numpy.random.logistic", "numpy.random.gumbel")
def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Outcome:
    return sampled(size, "np.random.normal", loc, scale)


@function("numpy.random.lognormal")
def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Outcome:
    return sampled(size, "np.random.lognormal", mean, sigma)


@function("numpy.random.exponential", "numpy.random.rayleigh")
def exponential(scale: Any = 1.0, size: Any = None) -> Outcome:
    return sampled(size, "np.random.exponential", scale)


@function("numpy.random.beta")
def beta(a: Any, b: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.beta", a, b)


@function("numpy.random.gamma")
def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Outcome:
    return sampled(size, "np.random.gamma", shape, scale)


@function("numpy.random.binomial")
def binomial(n: Any, p: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.binomial", n, p, dtype="int64")


@function("numpy.random.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Outcome:
    return sampled(size, "np.random.poisson", lam, dtype="int64")


@function("numpy.random.standard_gamma")
def standard_gamma(shape: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.standard_gamma", shape)


@function("numpy.random.weibull", "numpy.random.power", "numpy.random.pareto")
def weibull(a: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.weibull", a)


@function("numpy.random.zipf")
def zipf(a: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.zipf", a, dtype="int64")


@function("numpy.random.geometric", "numpy.random.logseries")
def geometric(p: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.geometric", p, dtype="int64")


@function("numpy.random.vonmises")
def vonmises(mu: Any, kappa: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.vonmises", mu, kappa)


@function("numpy.random.wald")
def wald(mean: Any, scale: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.wald", mean, scale)


@function("numpy.random.chisquare", "numpy.random.standard_t")
def chisquare(df: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.chisquare", df)


@function("numpy.random.negative_binomial")
def negative_binomial(n: Any, p: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.negative_binomial", n, p, dtype="int64")


@function("numpy.random.hypergeometric")
def hypergeometric(ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.hypergeometric", ngood, nbad, nsample, dtype="int64")


@function("numpy.random.triangular")
def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> Outcome:
    return sampled(size, "np.random.triangular", left, mode, right)


@function("numpy.random.dirichlet")
def dirichlet(alpha: Any, size: Any = None) -> Outcome:
    return trailing(size, alpha, "np.random.dirichlet", "float64")


@function("numpy.random.multinomial")
def multinomial(n: Any, pvals: Any, size: Any = None) -> Outcome:
    return trailing(size, pvals, "np.random.multinomial", "int64")


@function("numpy.random.multivariate_normal")
def multivariate_normal(mean: Any, cov: Any, size: Any = None, check_valid: Any = "warn", tol: Any = 1e-8) -> Outcome:
    return trailing(size, mean, "np.random.multivariate_normal", "float64")


@function("numpy.random.choice")
def choice(a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Outcome:
    """Elements of a 1-D array, or of range(a) (numpy/random/mtrand.pyx: RandomState.choice)."""
    pool = as_tensor(a, "numpy")
    if isinstance(pool, Tensor) and pool.rank is not None and pool.rank > 1:
        return Mismatch(Problem.RANK, f"np.random.choice draws from one axis, {pool} has {pool.rank}",
                        help="x[np.random.choice(len(x), n)] draws rows", error='ValueError "a must be 1-dimensional"',
                        facts=(("expected", 1), ("actual", pool.rank)))
    if (wrong := _unfitting(a, pool, as_tensor(p, "numpy"))) is not None:
        return wrong
    if size is None:
        return _one_of(a)
    if isinstance(a, list | tuple) and not isinstance(pool, Tensor):
        return Unknown("some of a list, which may hold objects")
    return Tensor(sizes(size), pool.dtype if isinstance(pool, Tensor) else pool, "numpy")


def _unfitting(a: Any, pool: Any, p: Any) -> Mismatch | None:
    """Probabilities are one for each element: what predict() gives of one state is a batch of one row of them."""
    if not isinstance(p, Tensor) or not isinstance(p.shape, tuple):
        return None
    if p.rank != 1:
        return Mismatch(Problem.RANK, f"np.random.choice takes probabilities along one axis, {p} has {p.rank}",
                        help="p[0] is the row of the first sample" if p.rank == 2 else "np.ravel(p)",
                        error="ValueError \"'p' must be 1-dimensional\"", facts=(("expected", 1), ("actual", p.rank)))
    shape = (a,) if type(a) is int else pool.shape if isinstance(pool, Tensor) else ()
    many, found = shape[0] if isinstance(shape, tuple) and shape else None, p.shape[0]
    if type(many) is not int or type(found) is not int or many == found:
        return None
    return Mismatch(Problem.MERGE, f"np.random.choice draws from {many:,}, with {found:,} probabilities",
                    help="a probability for each element", error="ValueError \"'a' and 'p' must have same size\"",
                    facts=(("rows", (many, found)),))


def _one_of(pool: Any) -> Outcome:
    """One element: of numbers a number; of range(n), for which n may stand, a whole one."""
    if isinstance(pool, Tensor) and pool.rank == 1 and isinstance(pool.dtype, str) and "int" in pool.dtype:
        return Tensor((), pool.dtype, "numpy")
    if isinstance(pool, Unknown):
        count = pool.number or pool is LONG_RANGE or pool is OPEN_RANGE
    else:
        count = isinstance(pool, int | Symbol) or (isinstance(pool, list | tuple) and set(map(type, pool)) == {int})
    if count:
        return Drawn("a random number", number=True, base=object())
    return Unknown("a random element")


@function("numpy.random.permutation")
def permutation(x: Any) -> Outcome:
    """A shuffled copy, or shuffled range(x)."""
    pool = as_tensor(x, "numpy")
    if isinstance(x, Unknown) and (x.number or isinstance(x, Counted)):
        return Tensor((Unknown("count"),), "int64", "numpy")
    if isinstance(pool, Unknown):
        return pool
    if pool.shape == ():
        count = number(x)
        return Tensor((count if isinstance(count, int) and count >= 0 else Unknown("count"),), "int64", "numpy")
    return pool.with_()
