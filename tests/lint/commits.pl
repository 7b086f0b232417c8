#!/usr/bin/perl
# Checks the subjects of commits, as `git log` lists them in the repository's root:
# "area: imperative", at most 72 characters. Older commits than the first that was checked are exempt.
use strict;
use warnings;

my $since = '0ca602d924b68a39ec88dd55579c15225c024495';
my $most = 72;
# A first word that looks like a past or a participle, but is an imperative.
my %imperative = map { $_ => 1 } qw(bring embed exceed feed need proceed seed shed speed spring);

system("git merge-base --is-ancestor $since HEAD 2>/dev/null") == 0
  or print("skipped 1: the history does not reach back to $since\n"), exit 77;
my $failures = 0;
sub fail { print "@_\n"; ++$failures }
for (split /\n/, `git log --no-merges --format='%h %s' $since..HEAD`) {
  my ($commit, $subject) = /^(\w+) (.*)$/;
  utf8::decode(my $characters = $subject);
  my $found = "$commit: \"$subject\"";
  fail "$found has " . length($characters) . " characters; at most $most"
    if length $characters > $most;
  my ($verb) = $subject =~ /^[a-z][\w.\/-]*(?:, [a-z][\w.\/-]*)*: (\S+)/;
  fail "$found: write \"area: imperative\", as in \"docs: add a tutorial\"" if !$verb;
  fail "$found: write the imperative instead of \"$verb\""
    if $verb && $verb =~ /^(?:\w+(?:ed|ing)|adds|fixes|makes|moves|removes|renames|says|uses)$/i
    && !$imperative{lc $verb};
  fail "$found: begin the imperative with a small letter" if $verb && $verb =~ /^[A-Z][a-z]+$/;
}
exit($failures > 0);
