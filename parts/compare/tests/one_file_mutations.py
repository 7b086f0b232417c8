#!/usr/bin/env python3
"""Checks that examples/one_file.cpp proves something: makes each change in one_file_mutations.txt,
and compares hashes, traces and results of functions with the unchanged program. Takes ten minutes.
usage: one_file_mutations.py [COMPILER OPTIONS...]    default: c++ -O2"""
import os
import resource
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
source = open(os.path.join(here, '../../../examples/one_file.cpp')).read()
compiler = sys.argv[1:] or ['c++', '-O2']

RUNS = {  # in this order
    'reverse': ['reverse', '--steps', '40'],
    'copy': ['copy', '--steps', '40', '--batch', '16'],
    'long': ['reverse', '--length', '513', '--batch', '1', '--width', '128', '--trace', 'trace'],
    'wide': ['reverse', '--length', '3', '--batch', '4', '--width', '600', '--trace', 'trace'],
    'functions': [],
}
# Arguments that a short training doesn't have: sums of fma that double rounds to the middle of two
# floats, or to a denormal; exponentials from 0 to infinity, also in the middle between two powers of
# 2; a row whose mean has a rounding error.
FUNCTIONS = r"""
#define main main_of_file
#include "mutant.cpp"
#undef main
int main() {
  const float cases[][3] = {{-0x1.ffffecp-64f, 0x1.00000ap-63f, -0x1.ffffe6p-110f},
                            {0x1.00044p+29f, 0x1.a22p-49f, -0x1.fffffep-50f},
                            {0x1.ffffecp-117f, 0x1.00000ap-34f, 0x1.afb574p-127f}};
  for (const auto& [a, b, c] : cases) std::printf("%a\n", fma(a, b, c));
  for (float x = -105; x < 90; x += 0x1p-7f) std::printf("%a\n", exp(x));
  for (float k = -149.5f; k < 128; ++k)
    for (float to : {-1000.f, 1000.f}) std::printf("%a\n", exp(std::nextafter(k * ln_2, to)));
  for (float x = 0.5f; x < 4; x += 0x1p-12f) std::printf("%a\n", log(x));
  const Tensor x = zeros(1, 3), gain = zeros(1, 3);
  x->value = {16777216, 16777218, 16777222}, gain->value = {1, 1, 1};
  for (const float y : layer_norm(x, gain, zeros(1, 3))->value) std::printf("%a\n", y);
}
"""


def mutations():
    for line in open(os.path.join(here, 'one_file_mutations.txt')):
        if line.strip() and not line.startswith('#'):
            run, old, new, *reason = (field.strip() for field in line.split(' | '))
            yield run, old, new, ''.join(reason)


def build(text, folder):
    path = os.path.join(folder, 'mutant.cpp')
    open(path, 'w').write(text)
    run_compiler(path, path[:-4])


def run_compiler(path, program):
    subprocess.run([*compiler, '-std=c++17', '-w', '-ffp-contract=off', path, '-o', program],
                   check=True)


def result(name, folder):
    """Returns what a run computes: the weight hash, all bytes of its trace, or all that it prints."""
    program = os.path.join(folder, 'mutant')
    if name == 'functions':
        program = os.path.join(folder, 'functions')
        open(program + '.cpp', 'w').write(FUNCTIONS)
        run_compiler(program + '.cpp', program)
    # A change may cause an endless loop. Processor time doesn't depend on other programs.
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    done = subprocess.run([program, *RUNS[name]], cwd=folder, capture_output=True, preexec_fn=limit)
    if 'trace' in RUNS[name] and done.returncode == 0:
        return open(os.path.join(folder, 'trace'), 'rb').read()
    return done.returncode, done.stdout if name == 'functions' else done.stdout.split()[-1:]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        build(source, folder)
        expected = {name: result(name, folder) for name in RUNS}
        for number, (run, old, new, reason) in enumerate(mutations(), 1):
            if source.count(old) != 1:
                print(f'{number}: the file has {source.count(old)} times: {old}')
                failures += 1
                continue
            build(source.replace(old, new), folder)
            found = next((name for name in RUNS if result(name, folder) != expected[name]), 'none')
            right = found == run and (found != 'none' or reason)
            failures += not right
            print(f'{number}: {found}{"" if right else f", expected {run}"}: {old} -> {new}',
                  flush=True)
    print(f'{number} changes, {failures} unexpected')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
