#!/usr/bin/perl
# Holds the house: who may include whom, where intrinsics may stand, how large the rooms may grow.
# Runs in the repository's root. A new room is a folder with a line in %budget.
use strict;
use warnings;

my %floor = (core => 0, nn => 1, optim => 1, train => 2, cli => 3);
my %budget = (  # lines of code, without blanks and comments
  'the evening path' => 2500, 'core without kernels and runtime' => 3100,
  'core, nn and optim without kernels and runtime' => 5370, train => 7370, cli => 5480,
  'core/ops/reference' => 600, 'core/checks' => 620, 'nn/zoo' => 500,
  'nn/vision' => 180, 'nn/torch' => 100,
  'train/gradchecks' => 1750, 'train/images' => 640, 'train/inspect' => 1500,
  'train/tokens' => 965, 'train/safetensors' => 480, 'train/huggingface' => 560,
  'train/arrays' => 490, 'train/onnx' => 300, 'train/ranks' => 715, 'cli/images' => 250,
  'cli/checks' => 250, 'cli/explain' => 2370, 'cli/attention' => 720, 'cli/inspect' => 1400,
  'cli/tokens' => 185, 'cli/exchange' => 225, 'cli/project' => 350, 'cli/learn' => 940,
  'cli/ranks' => 180, python => 600);
my $largest = 400;

my ($failures, %lines, %sources) = (0);
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
  $lines{'the evening path'} += $code if $evening{$stem};
  # Rooms of their own: what is compiled with the tests alone, what checks, papers' layers, what
  # teaches, what builds projects of users.
  my $own = join '|', grep m{/}, keys %budget;
  if ($file =~ m{^($own)[./]}) { $lines{$1} += $code; next }
  if ($floor{$room} > 1) { $lines{$room} += $code; next }
  next if $file =~ m{^core/(kernels|runtime)/};
  $lines{'core without kernels and runtime'} += $code if $room eq 'core';
  $lines{'core, nn and optim without kernels and runtime'} += $code;
}
for my $file (glob 'python/src/*.[ch]pp python/tapehead/*.py') {  # docstrings count, too
  open my $in, '<', $file or die "$file: $!\n";
  while (<$in>) {
    $file =~ /\.py$/ ? s/#.*// : s{//.*}{};
    ++$lines{python} if /\S/;
  }
}
for (sort keys %budget) {
  printf "%-48s %5d of %d lines\n", $_, $lines{$_}, $budget{$_};
  fail "$_: over its budget" if $lines{$_} > $budget{$_};
}
exit($failures > 0);
