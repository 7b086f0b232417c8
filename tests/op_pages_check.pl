#!/usr/bin/perl
# Checks the pages in docs/ops against the op descriptors. Run it in the repository's root:
#
#   op_pages_check.pl TAPEHEAD          checks that
#                                         - each op has a page with the expected headings, in order
#                                         - its head shows the descriptor's call, formula, gradient
#                                         - its section "Code" quotes C++ (docs_check.pl compares
#                                           the quote with the sources)
#                                         - docs/ops/README.md lists all ops by family
#                                         - no page describes an op that doesn't exist
#   op_pages_check.pl TAPEHEAD update   rewrites the head of each page first
use strict;
use warnings;

my @headings = ('Derivation', 'Code', 'Shapes and types', 'Example', 'Edge cases', 'Cost');
my $columns = 100;
# The head is the first ```text block before the first section.
my $head_block = qr/\A((?:(?!## |```)[^\n]*\n)*)```text\n(.*?)^```\n/ms;

my ($tapehead, $action) = (@ARGV, 'check');
die "usage: op_pages_check.pl TAPEHEAD [update]\n"
  if !defined $action || $action !~ /^(check|update)$/;
my $failures = 0;

sub fail {
  print "@_\n";
  ++$failures;
}

# Returns '' for a file that can't be read.
sub slurp {
  open my $file, '<', $_[0] or do { fail("$_[0]: $!"); return '' };
  local $/;
  return scalar <$file>;
}

# Breaks a line at spaces. The lines that follow are indented by two spaces.
sub wrapped {
  my ($line, @lines) = ('');
  for my $word (split ' ', $_[0]) {
    if ($line ne '' && length("$line $word") > $columns) {
      push @lines, $line;
      $line = '  ' . $word;
    } else {
      $line .= $line eq '' ? $word : " $word";
    }
  }
  return join '', map { "$_\n" } @lines, $line;
}

sub head {
  my ($op) = @_;
  return join '', map { wrapped($_) } $op->{call}, $op->{formula}, $op->{rule} || 'no gradient';
}

# perl-base has no JSON module, but the program prints each member on its own line.
sub read_ops {
  my @ops;
  open my $pipe, '-|', $tapehead, 'ops', '--json' or die "$tapehead: $!\n";
  while (<$pipe>) {
    my ($member, $value) = /^ *"(\w+)": "(.*)",?$/ or next;
    push @ops, {} if $member eq 'name';
    $ops[-1]{$member} = $value =~ s/\\(.)/$1/gr;
  }
  close $pipe or die "$tapehead ops --json failed\n";
  die "$tapehead ops --json lists no ops\n" if !@ops;
  return @ops;
}

sub update_head {
  my ($page, $head) = @_;
  my $text = slurp($page);
  return if $text !~ s/$head_block/$1```text\n$head```\n/ || $2 eq $head;
  open my $file, '>', $page or die "$page: $!\n";
  print $file $text;
  close $file or die "$page: $!\n";
  print "$page: updated\n";
}

sub check_page {
  my ($page, $op) = @_;
  my $text = slurp($page);
  fail("$page: the first line must be '# $op->{name}', followed by a description")
    if $text !~ /\A# $op->{name}\n\n(?!```|#)\S/;
  my $found = join ', ', $text =~ /^## (.*)$/mg;
  my $expected = join ', ', @headings;
  fail("$page: the headings are '$found', expected '$expected'") if $found ne $expected;
  my $head = head($op);
  fail("$page: expected this ```text block before the first heading; "
       . "run op_pages_check.pl TAPEHEAD update\n$head")
    if $text !~ $head_block || $2 ne $head;
  my ($code) = $text =~ /^## Code\n(.*?)^## /ms;
  fail("$page: the section 'Code' has no ```cpp block") if ($code // '') !~ /^```cpp\n.*?^```$/ms;
}

my @ops = read_ops();
my ($family, $index) = ('', '');
for my $op (@ops) {
  my $page = "docs/ops/$op->{name}.md";
  update_head($page, head($op)) if $action eq 'update';
  check_page($page, $op);
  $index .= "## $op->{family}\n" if $op->{family} ne $family;
  $index .= "[$op->{name}]($op->{name}.md)\n";
  $family = $op->{family};
}

my %known = map { ("docs/ops/$_->{name}.md" => 1) } @ops;
for my $page (grep { !m{/README\.md$} } glob 'docs/ops/*') {
  fail("$page: no op has this name") if !$known{$page};
}

my @listed = slurp('docs/ops/README.md') =~ /^(?:- )?(## .*|\[.+?\]\(.+?\))/mg;
fail("docs/ops/README.md: must list the ops by family, in the order of `tapehead ops`:\n$index")
  if join('', map { "$_\n" } @listed) ne $index;
exit($failures > 0);
