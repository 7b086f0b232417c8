#!/usr/bin/perl
# Holds the house: who may include whom, where intrinsics may stand, how long a file may be. Prints
# how many lines the reading guide has, and the library's lines of code. Runs in the repository's root.
use strict;
use warnings;

my %floor = (core => 0, nn => 1, optim => 1, train => 2, cli => 3, parts => 4);
# The folders of train, from the lowest: each includes only itself and those before it. The files
# that are in train itself come last, and may include all of them.
my @train = qw(files safetensors data step config tasks text runs model watch);
my %place = map { $train[$_] => $_ } 0 .. $#train;
sub train_folder { $_[0] =~ m{^train/(\w+)/} ? $1 : '' }
$place{''} = @train;

# Which other parts each part needs, and those that these need.
my %needs;
for my $lists (glob 'parts/*/CMakeLists.txt') {
  my ($part) = $lists =~ m{parts/(\w+)};
  my $text = do { local (@ARGV, $/) = $lists; <> };
  my ($list) = $text =~ /^\s*tapehead_part\([^)]*?\bNEEDS((?: [a-z]+)+)/m;
  $needs{$part}{$_} = 1 for split ' ', $list // '';
}
for my $again (1 .. keys %needs) {
  for my $part (keys %needs) {
    $needs{$part} = {%{$needs{$part}}, map { %{$needs{$_} // {}} } keys %{$needs{$part}}};
  }
}
my $largest = 400;

my ($failures, $all_lines, %sources) = (0, 0);
sub fail { print "@_\n"; ++$failures }
my @folders = keys %floor;
while (defined(my $folder = shift @folders)) {
  # For students to compile and for tests, not part of the library.
  next if $folder =~ m{^parts/\w+/(exercises|tests)$};
  for (glob "$folder/*") { -d ? push @folders, $_ : /\.[ch]pp$/ && ($sources{$_} = 1) }
}
my $plan = do { local (@ARGV, $/) = 'docs/architecture.md'; <> };
my ($guide) = $plan =~ /^## Reading guide$(.*?)^## /ms or die "docs/architecture.md: no reading guide\n";
my @guide = $guide =~ /^\d+\. `(\S+)`/mg;
my ($most_files, $most_lines, $guide_lines) = (15, 1800, 0);
for my $item (@guide) {
  my @files = grep { -e } $item, "$item.hpp", "$item.cpp";
  fail "docs/architecture.md: the reading guide names $item, which is no file" if !@files;
  for my $file (@files) {
    open my $in, '<', $file or die "$file: $!\n";
    ++$guide_lines while <$in>;
  }
}
fail "docs/architecture.md: the reading guide has " . @guide . " files and $guide_lines lines; at"
  . " most $most_files and $most_lines" if @guide > $most_files || $guide_lines > $most_lines;

my %types;  # by namespace and name: a second one would have the first one's functions
for my $file (sort keys %sources) {
  my $namespace = '';
  open my $in, '<', $file or die "$file: $!\n";
  my ($room, $code) = ($file =~ m{^([^/]+)}, 0);
  while (<$in>) {
    s{//.*}{};
    ++$code if /\S/;
    $namespace = $1 if /^namespace (\S+) \{/;
    if ($file =~ /hpp$/ && /^(?:struct|class) (\w+)(?: final)?(?: :.*| \{.*)$/) {
      my $other = $types{"$namespace\::$1"} //= $file;
      fail "$file:$.: $other has a type $1, too" if $other ne $file;
    }
    fail "$file:$.: intrinsics belong in core/kernels"
      if /\b_mm\d*_|\b__m\d{3}|\bXSIMD_WITH_|\bimmintrin/ && $file !~ m{^core/kernels/};
    fail "$file:$.: text is written by train/files/message and cli/terminal/output, which say what"
      . " becomes of it where it can't be"
      if $room ne 'examples' && /\bfmt::print\b|\bstd::(cout|cerr|clog|f?printf|f?puts|fwrite|perror)\b/
      && $file !~ m{^(train/files/message|cli/terminal/output)\.cpp$};
    fail "$file:$.: what asks the system belongs in core/system"
      if m{^\s*\#include\s+<(sys/|mach-o/|windows|(unistd|fcntl|io|poll|spawn|sched|pthread|dlfcn|fnmatch
        |termios|csignal|signal|dirent|pwd|netdb|link)\.?h?>)}x
      && $file !~ m{^core/system/(posix|windows|web)/};
    next unless /^\s*#include\s+"([^"]+)"/;
    my $include = $1;
    my $target = ($file =~ m{^(.*/)})[0] . $include;
    1 while $target =~ s{[^/]+/\.\./}{};
    my ($to) = $target =~ m{^([^/]+)};
    next if $room eq 'examples';
    if (!$sources{$target}) { fail "$file:$.: $target is no file of the library" }
    elsif ($to ne $room && $floor{$to} >= $floor{$room}) { fail "$file:$.: $room includes $to" }
    elsif (my ($other) = $target =~ m{^parts/(\w+)/}) {
      my ($part) = $file =~ m{^parts/(\w+)/};
      fail "$file:$.: the part $part includes $other, which its CMakeLists.txt doesn't say it NEEDS"
        if $part && $part ne $other && !$needs{$part}{$other};
    }
    if ($room eq 'train' && $to eq 'train') {
      my ($from, $other) = map { train_folder($_) } $file, $target;
      fail "$file:$.: train/$from includes $target, which comes later in the order of train's"
        . " folders: @train, and last train itself"
        if exists $place{$from} && exists $place{$other} && $place{$other} > $place{$from};
    }
    fail "$file:$.: kernels and the runtime know nothing of the tape or the ops"
      if $file =~ m{^core/(kernels|runtime)/}
      && $target =~ m{^core/(ops/|ops\.|tape\.|trace\.|gradients\.|gradcheck\.|op\.)};
  }
  fail "$file: $code lines of code, and a file has at most $largest" if $code > $largest;
  $all_lines += $code unless $room eq 'examples';
}
# The tests of the libraries need no part but `checks`.
for my $file (split /\n/, `find tests -name '*.[ch]pp'`) {
  open my $in, '<', $file or die "$file: $!\n";
  while (<$in>) {
    fail "$file:$.: a test of parts/$1 belongs in parts/$1/tests"
      if m{^\s*#include\s+"(?:\.\./)+parts/(?!checks/)(\w+)/};
  }
}
print "the reading guide has $guide_lines lines; the library has $all_lines lines of code\n";
exit($failures > 0);
