#!/usr/bin/env python3
"""Prints the coefficients of core/kernels/functions: `python3 bench/minimax.py`, with mpmath.

Each polynomial is a weighted least-squares fit at Chebyshev nodes, which is nearly minimax.
Lawson's weights (Muller, Elementary Functions, 3.4) then reduce the largest errors. Coefficients
are rounded one after the other, from the lowest degree on. After each rounding, the remaining
coefficients are fitted again to compensate for it. The printed error is the relative error of the
rounded polynomial as a power of two.
"""
import sys

from mpmath import (atanh, cos, erf, erfc, exp, expm1, fraction, lu_solve, log, matrix, mp, mpf, pi,
                    sin, sqrt, tanh)

mp.dps = 70


def rounded(x, bits):
    mantissa, exponent = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), int(exponent) - bits)


def fitted(points, values, weights, known, terms):
    """Fits the coefficients from degree len(known) on, given the coefficients of lower degrees."""
    first = len(known)
    n = terms - first
    normal, right = matrix(n, n), matrix(n, 1)
    for x, y, w in zip(points, values, weights):
        rest = (y - sum(c * x ** i for i, c in enumerate(known))) * w
        row = [x ** (first + i) * w for i in range(n)]
        for i in range(n):
            right[i] += row[i] * rest
            for j in range(n):
                normal[i, j] += row[i] * row[j]
    return list(lu_solve(normal, right))


def polynomial(f, weight, low, high, terms, bits, first=1):
    """Returns the rounded coefficients and the largest error. The lowest coefficient has `first`
    times as many bits as the others."""
    low, high = mpf(low), mpf(high)
    count = 6 * terms
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count))
              for i in range(count)]
    values, relative = [f(x) for x in points], [weight(x) for x in points]

    def errors(c):
        return [abs(sum(k * x ** i for i, k in enumerate(c)) - y) * w
                for x, y, w in zip(points, values, relative)]

    lawson = [mpf(1)] * count
    for _ in range(12):
        now = errors(fitted(points, values, [w * sqrt(l) for w, l in zip(relative, lawson)], [],
                            terms))
        lawson = [l * (e / max(now) + mpf('0.02')) for l, e in zip(lawson, now)]
    weights = [w * sqrt(l) for w, l in zip(relative, lawson)]
    known = []
    while len(known) < terms:
        known.append(rounded(fitted(points, values, weights, known, terms)[0],
                             bits if known else first * bits))
    return known, max(errors(known))


def erfcx(x):
    return exp(x * x) * erfc(x)


def gate(middle):
    def f(q):
        x = middle * (1 + q) / (1 - q)
        return (1 + 2 * x) * erfcx(x)
    return f, lambda q: 1 / f(q)


def even(f):
    """Returns f as a function of t = r^2. Avoids r = 0, where the formula of f is 0 / 0."""
    return lambda t: f(sqrt(t + mpf(10) ** -24))


half_ln2, sixth = mpf('0.34665'), ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf('1.001')
c = 2 / sqrt(pi)
near = lambda r: r + mpf(10) ** -20
FITS = {
    'exp': (lambda r: (expm1(near(r)) - near(r)) / near(r) ** 2, lambda r: r * r / exp(r),
            -half_ln2, half_ln2, {24: 5, 53: 10}),
    'exp2': (lambda r: (2 ** near(r) - 1) / near(r), lambda r: abs(r) / 2 ** r, -mpf('0.5'), mpf('0.5'),
             {24: 6, 53: 11}),
    'log': (even(lambda s: (2 * atanh(s) / s - 2) / s ** 2), lambda t: t / 2, 0, sixth,
            {24: 3, 53: 7}),
    'log_pair': (even(lambda s: ((2 * atanh(s) / s - 2) / s ** 2 - mpf(2) / 3) / s ** 2),
                 lambda t: t * t / 2, 0, sixth, {53: 8}),
    'tanh': (even(lambda x: (tanh(x) / x - 1) / x ** 2), even(lambda x: x ** 3 / tanh(x)), 0, 1,
             {24: 7, 53: 16}),
    'erf': (even(lambda x: (erf(x) / x - c) / x ** 2), even(lambda x: x ** 3 / erf(x)), 0, 0.25,
            {24: 4, 53: 9}),
    'sin': (even(lambda r: (sin(r) / r - 1) / r ** 2), even(lambda r: r ** 3 / sin(r)), 0, 0.6170,
            {53: 6}),
    'cos': (even(lambda r: (cos(r) - 1 + r * r / 2) / r ** 4), even(lambda r: r ** 4 / cos(r)), 0,
            0.6170, {53: 6}),
}
# For x >= 1/2, erfc(x) is exp(-x^2) / (1 + 2 x) times a polynomial of (x - middle) / (x + middle).
# For each precision in bits: `middle`, the largest x, and the number of coefficients.
TAILS = {24: ('2', '10.3', 10), 53: ('3', '27.5', 22)}


def show(name, bits, result):
    coefficients, error = result
    low = coefficients[0] - rounded(coefficients[0], bits)
    coefficients[0] -= low
    print(f'{name}, {bits} bits: degree {len(coefficients) - 1}, '
          f'error 2^{float(log(error, 2)):.1f}')
    print('  ' + ', '.join(float(x).hex() for x in reversed(coefficients)) +
          (f', and {float(low).hex()}' if low else ''), flush=True)


def constant(name, x, bits, parts):
    out = []
    for _ in range(parts):
        out.append(rounded(x, bits))
        x -= out[-1]
    print(f'{name}, {bits} bits:', ', '.join(float(v).hex() for v in out))


wanted = sys.argv[1:]
for name, (f, weight, low, high, sizes) in FITS.items():
    for bits, terms in sizes.items():
        if not wanted or name in wanted:
            show(name, bits, polynomial(f, weight, low, high, terms, bits))
for bits, (middle, last, terms) in TAILS.items():
    middle, last = mpf(middle), mpf(last)
    if not wanted or 'tail' in wanted:
        show('tail', bits, polynomial(*gate(middle), (mpf('0.5') - middle) / (mpf('0.5') + middle),
                                      (last - middle) / (last + middle), terms, bits, 2))
for bits in (24, 53):
    constant('log2(e)', 1 / log(2), bits, 1)
    constant('ln(2)', log(2), bits, 3)
    constant('2/3', mpf(2) / 3, bits, 2)
    constant('2/sqrt(pi)', c, bits, 2)
    constant('1/sqrt(2)', 1 / sqrt(2), bits, 2)
    constant('2/pi', 2 / pi, bits, 1)
    constant('pi/2', pi / 2, bits, 4)
if not wanted or '2/pi' in wanted:
    mp.dps = 420
    digits = int(mp.floor(mp.ldexp(2 / pi, 64 * 19)))
    print('2/pi in words of 64 bits:',
          ', '.join(hex(digits >> (64 * (18 - i)) & (2 ** 64 - 1)) for i in range(19)))
