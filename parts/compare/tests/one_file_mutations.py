#!/usr/bin/env python3
"""Checks that examples/one_file.cpp proves something: makes each change in one_file_mutations.txt,
and compares hashes and traces with the unchanged program. Takes ten minutes.
usage: one_file_mutations.py [COMPILER OPTIONS...]    default: c++ -O2"""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
source = open(os.path.join(here, '../../../examples/one_file.cpp')).read()
compiler = sys.argv[1:] or ['c++', '-O2']

RUNS = {  # in this order
    'reverse': ['reverse', '--steps', '40'],
    'copy': ['copy', '--steps', '40', '--batch', '16'],
    'long': ['copy', '--length', '257', '--batch', '1', '--width', '16', '--trace', 'trace'],
    'alone': ['reverse', '--length', '128', '--batch', '1', '--width', '528', '--trace', 'trace'],
}


def mutations():
    for line in open(os.path.join(here, 'one_file_mutations.txt')):
        if line.strip() and not line.startswith('#'):
            run, old, new, *reason = (field.strip() for field in line.split(' | '))
            yield run, old, new, ''.join(reason)


def build(text, folder):
    path = os.path.join(folder, 'mutant.cpp')
    open(path, 'w').write(text)
    program = os.path.join(folder, 'mutant')
    subprocess.run([*compiler, '-std=c++17', '-w', '-ffp-contract=off', path, '-o', program],
                   check=True)
    return program


def result(program, name, folder):
    """Returns what a run computes: the weight hash, or all bytes of its trace."""
    try:
        done = subprocess.run([program, *RUNS[name]], cwd=folder, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return 'too slow'
    if name in ('long', 'alone') and done.returncode == 0:
        return open(os.path.join(folder, 'trace'), 'rb').read()
    return done.returncode, done.stdout.split()[-1:]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = build(source, folder)
        expected = {name: result(program, name, folder) for name in RUNS}
        for number, (run, old, new, reason) in enumerate(mutations(), 1):
            if source.count(old) != 1:
                print(f'{number}: the file has {source.count(old)} times: {old}')
                failures += 1
                continue
            program = build(source.replace(old, new), folder)
            found = next((name for name in RUNS
                          if result(program, name, folder) != expected[name]), 'none')
            right = found == run and (found != 'none' or reason)
            failures += not right
            print(f'{number}: {found}{"" if right else f", expected {run}"}: {old} -> {new}',
                  flush=True)
    print(f'{number} changes, {failures} unexpected')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
