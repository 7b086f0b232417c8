#!/usr/bin/perl
# Checks the structure of the sources: which layer, part and folder may include which, where
# intrinsics, system calls and output are allowed, how long a file may be, and the reading guide.
# Prints the lines in the reading guide and in the library. Runs in the repository's root.
use strict;
use warnings;

my %layer = (core => 0, nn => 1, optim => 1, train => 2, cli => 3, parts => 4);
# The folders of train: each includes only itself and those before it. Files directly in train may
# include all of them.
my @train = qw(files safetensors data step config tasks text runs model watch);
my %order = map { $train[$_] => $_ } 0 .. $#train;
sub train_folder { $_[0] =~ m{^train/(\w+)/} ? $1 : '' }
$order{''} = @train;

# The parts that each part needs, directly or indirectly.
my %needs;
for my $lists (glob 'parts/*/CMakeLists.txt') {
  my ($part) = $lists =~ m{parts/(\w+)};
  my $text = do { local (@ARGV, $/) = $lists; <> };
  my ($list) = $text =~ /^\s*tapehead_part\([^)]*?\bNEEDS((?: [a-z]+)+)/m;
  $needs{$part}{$_} = 1 for split ' ', $list // '';
}
for my $round (1 .. keys %needs) {
  for my $part (keys %needs) {
    $needs{$part} = {%{$needs{$part}}, map { %{$needs{$_} // {}} } keys %{$needs{$part}}};
  }
}
my $most_code = 400;  # lines in a file

my ($failures, $all_lines, %sources) = (0, 0);
sub fail { print "@_\n"; ++$failures }
my @folders = keys %layer;
while (defined(my $folder = shift @folders)) {
  # Exercises are compiled by students, tests by the tests.
  next if $folder =~ m{^parts/\w+/(exercises|tests)$};
  for (glob "$folder/*") { -d ? push @folders, $_ : /\.[ch]pp$/ && ($sources{$_} = 1) }
}
my $architecture = do { local (@ARGV, $/) = 'docs/architecture.md'; <> };
my ($guide) = $architecture =~ /^## Reading guide$(.*?)^## /ms
  or die "docs/architecture.md: no reading guide\n";
my @guide = $guide =~ /^\d+\. `(\S+)`/mg;
my ($most_files, $most_lines, $guide_lines) = (15, 1800, 0);
for my $item (@guide) {
  my @files = grep { -e } $item, "$item.hpp", "$item.cpp";
  fail "docs/architecture.md: the reading guide lists $item, which does not exist" if !@files;
  for my $file (@files) {
    open my $in, '<', $file or die "$file: $!\n";
    ++$guide_lines while <$in>;
  }
}
fail "docs/architecture.md: the reading guide has " . @guide . " files and $guide_lines lines; at"
  . " most $most_files and $most_lines" if @guide > $most_files || $guide_lines > $most_lines;

my %types;  # by namespace and name: two types of one name would share their functions (ODR)
for my $file (sort keys %sources) {
  my $namespace = '';
  open my $in, '<', $file or die "$file: $!\n";
  my ($top, $code) = ($file =~ m{^([^/]+)}, 0);
  while (<$in>) {
    s{//.*}{};
    ++$code if /\S/;
    $namespace = $1 if /^namespace (\S+) \{/;
    if ($file =~ /hpp$/ && /^(?:struct|class) (\w+)(?: final)?(?: :.*| \{.*)$/) {
      my $other = $types{"$namespace\::$1"} //= $file;
      fail "$file:$.: $other also declares a type $1; rename one" if $other ne $file;
    }
    fail "$file:$.: move intrinsics to core/kernels"
      if /\b_mm\d*_|\b__m\d{3}|\bXSIMD_WITH_|\bimmintrin/ && $file !~ m{^core/kernels/};
    fail "$file:$.: print through train/files/message or cli/terminal/output, which report failed"
      . " writes"
      if $top ne 'examples' && /\bfmt::print\b|\bstd::(cout|cerr|clog|f?printf|f?puts|fwrite|perror)\b/
      && $file !~ m{^(train/files/message|cli/terminal/output)\.cpp$};
    fail "$file:$.: move system calls to core/system"
      if m{^\s*\#include\s+<(sys/|mach-o/|windows|(unistd|fcntl|io|poll|spawn|sched|pthread|dlfcn|fnmatch
        |termios|csignal|signal|dirent|pwd|netdb|link)\.?h?>)}x
      && $file !~ m{^core/system/(posix|windows|web)/};
    next unless /^\s*#include\s+"([^"]+)"/;
    my $include = $1;
    my $target = ($file =~ m{^(.*/)})[0] . $include;
    1 while $target =~ s{[^/]+/\.\./}{};
    my ($to) = $target =~ m{^([^/]+)};
    next if $top eq 'examples';
    if (!$sources{$target}) { fail "$file:$.: $target is not a file of the library" }
    elsif ($to ne $top && $layer{$to} >= $layer{$top}) {
      fail "$file:$.: $top must not include $to, which is not a lower layer"
    } elsif (my ($other) = $target =~ m{^parts/(\w+)/}) {
      my ($part) = $file =~ m{^parts/(\w+)/};
      fail "$file:$.: the part $part includes $other; add it to NEEDS in parts/$part/CMakeLists.txt"
        if $part && $part ne $other && !$needs{$part}{$other};
    }
    if ($top eq 'train' && $to eq 'train') {
      my ($from, $other) = map { train_folder($_) } $file, $target;
      fail "$file:$.: train/$from must not include $target; the order of train's folders is @train,"
        . " then train itself"
        if exists $order{$from} && exists $order{$other} && $order{$other} > $order{$from};
    }
    fail "$file:$.: kernels and the runtime must not include the tape or the ops"
      if $file =~ m{^core/(kernels|runtime)/}
      && $target =~ m{^core/(ops/|ops\.|tape\.|trace\.|gradients\.|gradcheck\.|op\.)};
  }
  fail "$file: $code lines of code; at most $most_code" if $code > $most_code;
  $all_lines += $code unless $top eq 'examples';
}
# Tests of the library may need only the part `checks`.
for my $file (split /\n/, `find tests -name '*.[ch]pp'`) {
  open my $in, '<', $file or die "$file: $!\n";
  while (<$in>) {
    fail "$file:$.: move this test of parts/$1 to parts/$1/tests"
      if m{^\s*#include\s+"(?:\.\./)+parts/(?!checks/)(\w+)/};
  }
}
print "the reading guide has $guide_lines lines; the library has $all_lines lines of code\n";
exit($failures > 0);
