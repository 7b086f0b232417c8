#!/usr/bin/perl
# Holds the house: who may include whom, where intrinsics may stand, how long a file may be. Prints
# how many lines of code the evening path has, and all of the library. Runs in the repository's root.
use strict;
use warnings;

my %floor = (core => 0, nn => 1, optim => 1, train => 2, cli => 3);
my $largest = 400;

my ($failures, $path_lines, $all_lines, %sources) = (0, 0, 0);
sub fail { print "@_\n"; ++$failures }
my @folders = keys %floor;
while (defined(my $folder = shift @folders)) {
  next if $folder eq 'cli/learn/exercises';  # for students to compile, not part of the library
  for (glob "$folder/*") { -d ? push @folders, $_ : /\.[ch]pp$/ && ($sources{$_} = 1) }
}
my $plan = do { local (@ARGV, $/) = 'docs/architecture.md'; <> };
my ($path) = $plan =~ /^## The evening path$(.*?)^## /ms or die "no evening path in the plan\n";
my %evening = map { $_ => 1 } $path =~ /^\d+\. `(\S+)`/mg;
-e "$_.hpp" || -e "$_.cpp" or fail "docs/architecture.md: $_ is on the evening path, and no file"
  for sort keys %evening;

for my $file (sort keys %sources) {
  open my $in, '<', $file or die "$file: $!\n";
  my ($room, $code) = ($file =~ m{^([^/]+)}, 0);
  while (<$in>) {
    s{//.*}{};
    ++$code if /\S/;
    fail "$file:$.: intrinsics belong in core/kernels"
      if /\b_mm\d*_|\b__m\d{3}|\bXSIMD_WITH_|\bimmintrin/ && $file !~ m{^core/kernels/};
    fail "$file:$.: text is written by train/message and cli/terminal/output, which say what"
      . " becomes of it where it can't be"
      if /\bfmt::print\b|\bstd::(cout|cerr|clog|f?printf|f?puts|fwrite|perror)\b/
      && $file !~ m{^(train/message|cli/terminal/output)\.cpp$};
    next unless /^\s*#include\s+"([^"]+)"/;
    my $include = $1;
    my $target = ($file =~ m{^(.*/)})[0] . $include;
    1 while $target =~ s{[^/]+/\.\./}{};
    my ($to) = $target =~ m{^([^/]+)};
    if (!$sources{$target}) { fail "$file:$.: $target is no file of the library" }
    elsif ($to ne $room && $floor{$to} >= $floor{$room}) { fail "$file:$.: $room includes $to" }
    fail "$file:$.: kernels and the runtime know nothing of the tape or the ops"
      if $file =~ m{^core/(kernels|runtime)/}
      && $target =~ m{^core/(ops/|ops\.|tape\.|trace\.|gradients\.|gradcheck\.|op_table\.)};
  }
  fail "$file: $code lines of code, and a file has at most $largest" if $code > $largest;
  (my $stem = $file) =~ s/\.[ch]pp$//;
  $path_lines += $code if $evening{$stem};
  $all_lines += $code;
}
print "the evening path has $path_lines lines of code, the library $all_lines\n";
exit($failures > 0);
