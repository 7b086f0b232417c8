#!/usr/bin/perl
# Reads the paths of changed files, one per line, and prints the ctest names of the affected tests.
# Prints `all` if a file of the build or one shared by tests has changed.
#
# A source file affects the suites of its layer or part, other suites that include its header, and
# the pages that show its commands. A header affects all suites that include it, also indirectly.
# Run this in the repository's root.
use strict;
use warnings;

my @files = split /\n/, `find core nn optim train cli parts tests examples -name '*.[ch]pp'`;
my (%includers, %text);
for my $file (@files) {
  $text{$file} = do { local (@ARGV, $/) = $file; <> };
  my ($folder) = $file =~ m{^(.*/)};
  for my $include ($text{$file} =~ /^\s*#include\s+"([^"]+)"/mg) {
    my $path = $folder . $include;
    1 while $path =~ s{[^/]+/\.\./}{};
    push @{$includers{$path}}, $file;
  }
}
my @pages = split /\n/, `find docs parts *.md -name '*.md'`;

# Returns the name of a suite's test: tests/core/tape_test.cpp is core/tape, and
# parts/pages/tests/page_test.cpp is pages/page.
sub test_of {
  my ($name) = @_;
  $name =~ s{^parts/|tests/|_test\.cpp$}{}g;
  return $name;
}
my @suites = grep { /_test\.cpp$/ } @files;

# Returns all files that include one of these, directly or through headers; without `deep`, only
# through headers of tests.
sub users {
  my ($deep, @open) = @_;
  my %seen;
  while (defined(my $file = shift @open)) {
    for my $user (@{$includers{$file} // []}) {
      next if $seen{$user}++;
      push @open, $user if $user =~ /\.hpp$/ && ($deep || $user =~ m{(^|/)tests/});
    }
  }
  return keys %seen;
}

# Returns the pages that show a command added by one of these files.
sub pages_of {
  my %commands = map { $_ => 1 } map { ($text{$_} // '') =~ /\badd\(\s*"([a-z]+)",/g } @_;
  return () unless %commands;
  my $names = join '|', sort keys %commands;
  return grep { my $page = do { local (@ARGV, $/) = $_; <> }; $page =~ /\btapehead (?:$names)\b/ } @pages;
}

my %affected;
while (my $file = <STDIN>) {
  chomp $file;
  $affected{"lint/$_"} = 1 for qw(structure prose commits);
  if ($file =~ /\.md$/) {
    $affected{$file} = 1;
    $affected{'docs/ops'} = 1 if $file =~ m{^docs/ops/};
    $affected{$_} = 1
      for grep { $file =~ m{^(CHANGELOG|docs/(results|reference/numerics))\.md$} }
      qw(train/numerics_number core/functions);
    $affected{'docs/site'} = 1;
  } elsif ($file =~ m{^examples/((?:extend/)?\w+)\.cpp$}) {
    $affected{"examples/$1"} = 1;
  } elsif ($file =~ /_test\.cpp$/) {
    $affected{test_of($file)} = 1;
  } elsif ($file =~ m{^tests/cases/}) {
    $affected{cases} = 1;
  } elsif ($file =~ m{^(bench|\.github|\.devcontainer)/|^(LICENSE|Containerfile|\.\w+)$|^tests/(fuzz|soak|systems|faults)/[^/]*$}) {
    next;  # affects only the lint
  } elsif ($file !~ m{^(tests|cmake|include|\.ci)/|CMakeLists\.txt$} && $file =~ m{^(parts/)?(\w+)/}) {
    my ($is_part, $folder) = ($1, $2);
    (my $header = $file) =~ s/\.cpp$/.hpp/;
    my @users = users($file =~ /\.hpp$/, $header);
    my @tests = grep { /_test\.cpp$/ } @users;
    if ($file =~ /\.hpp$/ && @tests > @suites / 6) { print "all\n"; exit }
    push @tests, grep { m{^(?:parts/)?(?:tests/)?\Q$folder\E/} } @suites;
    $affected{test_of($_)} = 1 for @tests;
    $affected{$_} = 1 for pages_of($file, @users, grep { $is_part && m{^parts/\Q$folder\E/} } @files);
    $affected{$_} = 1 for grep { $is_part && m{^parts/\Q$folder\E/} } @pages;
    $affected{python} = 1 if $file =~ m{^parts/(python|explain|checks|pages)/};
    $affected{$_} = 1 for qw(symbols train/same_bits cli/cli);
    $affected{$_} = 1 for grep { $folder eq 'core' } qw(nn/layers checks/check);
  } else {
    print "all\n";
    exit;
  }
}
print map { "$_\n" } sort keys %affected;
