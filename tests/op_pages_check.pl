#!/usr/bin/perl
# Holds docs/ops to the table of ops: each op has a page with all headings, in order, the table's
# formula and gradient in a block, and lines of source, which docs_check.pl compares with the source;
# the index names it in its family; no page lacks an op. Runs in the repository's root:
# op_pages_check.pl TAPEHEAD.
use strict;
use warnings;

my @headings = ('Formula', 'Derivation', 'The lines that compute it', 'Shapes', 'By hand', 'Edges',
                'Cost');
my $failures = 0;
sub fail { print "@_\n"; ++$failures }
sub slurp {
  open my $file, '<', $_[0] or return fail("$_[0]: $!") && '';
  local $/;
  return scalar <$file>;
}
# On one line: a page may break the table's lines.
sub joined { return join ' ', split ' ', $_[0] }

open my $pipe, '-|', $ARGV[0], 'ops', '--json' or die "$ARGV[0]: $!\n";
my @ops;  # its JSON has a member on each line, and perl-base no module that reads JSON
while (<$pipe>) {
  my ($member, $value) = /^ *"(\w+)": "(.*)",?$/ or next;
  push @ops, {} if $member eq 'name';
  $ops[-1]{$member} = $value =~ s/\\(.)/$1/gr;
}
close $pipe or die "$ARGV[0] ops failed\n";
fail "$ARGV[0] ops lists none" if !@ops;

my ($family, $index) = ('', '');
for my $op (@ops) {
  my $page = "docs/ops/$op->{name}.md";
  my $text = slurp($page);
  fail "$page: must begin with '# $op->{name}'" if $text !~ /\A# $op->{name}\n\n\S/;
  my $found = join ', ', $text =~ /^## (.*)$/mg;
  fail "$page: has the headings $found; expected " . join ', ', @headings
    if $found ne join ', ', @headings;
  my $formula = joined("$op->{formula} " . ($op->{rule} || 'no gradient'));
  my ($block) = $text =~ /^## Formula\n\n```text\n(.*?)^```$/ms;
  fail "$page: the block of the formula must be that of tapehead ops $op->{name}: $formula"
    if joined($block // '') ne $formula;
  my ($section) = $text =~ /^## The lines that compute it\n(.*?)^## /ms;
  fail "$page: must quote the lines of source that compute it"
    if ($section // '') !~ /^```cpp\n(.*?)^```$/gms;
  $index .= "## $op->{family}\n" if $op->{family} ne $family;
  $index .= "[$op->{name}]($op->{name}.md)\n";
  $family = $op->{family};
}
my %known = map { ("docs/ops/$_->{name}.md" => 1) } @ops;
$known{$_} || fail "$_: is there an op of this name?" for grep { !m{/README\.md$} } glob 'docs/ops/*';
my $listed = join '', map { "$_\n" } slurp('docs/ops/README.md') =~ /^(?:- )?(## .*|\[.+?\]\(.+?\))/mg;
fail "docs/ops/README.md: must list the ops by family, in the order of the table:\n$index"
  if $listed ne $index;
exit($failures > 0);
