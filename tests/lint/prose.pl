#!/usr/bin/perl
# Checks the English of pages, comments and messages: no words or constructs that are hard to read or
# that nobody searches for, and no sentence of more than 30 words in the documentation.
#
#   prose.pl [FILE...]     checks these files, or all files of the repository
#
# A line that contains "lint: allow" is exempt, in a comment of its language; in Markdown
# <!-- lint: allow --> exempts the paragraph after it. Runs in the repository's root.
use strict;
use warnings;

my $longest = 30;  # words in a sentence of the documentation

# Pattern => what to write instead. Patterns ignore case, and a space in them matches a line break.
my @patterns = (
  # archaic or literary words
  ['anew' => 'again'],
  ['as ever|as of old' => 'as before, or nothing'],
  ['besides' => 'also, in addition to'],
  ['beside' => 'next to, compared with'],
  ['therein|thereof|thereto|thereupon|whereupon|whence|hence' => 'a plain clause'],
  ['thus|whilst|amongst|upon|lest|ere|nought|naught|aught' => 'so, while, among, on, so that not'],
  ['reckon(?:s|ed|ing)?' => 'calculate, estimate'],
  ['mend(?:s|ed|ing)?' => 'fix'],
  ['whoever|whosoever|whatsoever' => 'a user who, anyone who'],
  ['heed(?:s|ed|ing)?' => 'take into account, respect'],
  ['one another' => 'each other'],
  ['in (?:its|their) stead' => 'instead'],
  ['for want of|in want of' => 'without'],
  ['but for' => 'except for'],
  ['is none of' => 'is not one of'],
  ['nor (?:is|are|does|do|has|have|can|will|was)' => 'a sentence of its own'],
  ['(?:is|are|was|were) to be (?:had|seen|found|told|learned|chosen|remembered)'
    => 'an active verb'],
  # verbs that stand for "is"
  ['stands? (?:in|at|below|above|under|over|there|here|alone|beside|first|last|where)' => 'is'],
  ['lies? (?:in|at|below|above|under|over|there|here|beside|where|within)' => 'is'],
  ['lives? in' => 'is in'],
  ['finds? itself' => 'is'],
  # sentences without an agent, or with an unusual one
  ['(?:is|are|was|were|be) told' => 'is notified, is printed, receives'],
  ['asks? of' => 'requires'],
  ['(?:goes|went|gone) on' => 'continues'],
  ['go on (?:with|from|to|where|as)' => 'continue'],
  ['(?:says?|said|tells?) of' => 'says about'],
  ['becomes? of|became of' => 'happens to'],
  ['(?:made|makes?|make) of (?:it|them|that|this|what)' => 'an active verb'],
  ['is held (?:to|against)|are held (?:to|against)|holds? \w+ (?:to|against) (?:the|its|their|what)'
    => 'compare with, check'],
  ['keeps? (?:its|their) word' => 'satisfies'],
  ['(?:cares?|caring) for' => 'handles'],
  ['that meets? (?:it|them)|words? that meet' => 'Troubleshooting'],
  ['so (?:is|are|does|do|has|have|did|was|were) (?:the|a|an|its|their|each|every|all|that|those)\b'
    => 'a sentence of its own'],
  ['(?:that|those) of' => 'repeat the noun'],
  ['(?:^|[.:] )what [^.?!:]* (?:is|are|was|has|have|can|must) ' => 'begin with the subject', 'case'],
  ['of (?:\w+ )?\w+\'s(?=[.,;:)])' => 'the genitive: NumPy\'s file'],
  # house metaphors
  ['strangers?' => 'foreign, untrusted'],
  ['doors?|doorway' => 'interface, entry point'],
  ['rooms?(?! for)' => 'directory, space'],
  ['shel(?:f|ves)' => 'run management'],
  ['at home|guests?|hosts? of' => 'a technical term'],
  ['an evening|in the evening' => 'reading guide'],
  ['(?:upper|lower) floors?|floors? (?:above|below)' => 'layer'],
  ['the house|house rules?' => 'the repository, the lint'],
  # the field's terms
  ['(?:learn(?:s|ed|ing)?|know(?:s|n)?) by heart' => 'memorizes, overfits'],
  ['kinds? of model' => 'architecture'],
  ['recipes?' => 'default configuration'],
  ['first weights' => 'initial weights'],
  ['(?:changes?|changing) no bits?|bit for bit the same' => 'bitwise identical'],
  ['outlines? (?:of|tensor|model)|an outline' => 'meta tensor'],
  ['products? of matrices|matrix products?' => 'matmul'],
  ['tied[- ]heads?(?! (?:N|true|false))' => 'weight tying'],
  ['questions? and (?:its |their |an? |the )?answers?' => 'source and target, prompt and completion'],
  ['moving average of (?:the )?weights(?! \(EMA)' => 'EMA of the weights'],
  ['gradient rules?|backward rules?|the rule of (?:the|an?) op' => 'backward function'],
  ['digests? of (?:its|the|their) weights' => 'weight hash'],
);
my @compiled = map {
  my ($pattern, $instead, $case) = @$_;
  my $text = $pattern =~ s/ (?![^\[]*\])/\\s+/gr;
  my ($left, $right) = $pattern =~ /^\(\?:\^/ ? ('', '') : ('\b', $pattern =~ /[)s]$/ ? '' : '\b');
  [$case ? qr/${left}(?:$text)$right/ : qr/${left}(?:$text)\b/i, $instead]
} @patterns;

my $failures = 0;
sub fail { print "@_\n"; ++$failures }

# ---- blocks: paragraphs of prose, each with its file and the line of each of its characters

# add(\@blocks, $line, $text) appends a line to the last block if that ends on the line before.
sub add {
  my ($blocks, $line, $text) = @_;
  my $last = $blocks->[-1];
  if ($last && $last->{end} == $line - 1 && $text !~ /^\s*(?:[-*|]|\d+\.) / && $text =~ /\S/) {
    push @{$last->{starts}}, [length $last->{text}, $line];
    $last->{text} .= $text =~ s/^\s+//r . "\n";
    $last->{end} = $line;
  } elsif ($text =~ /\S/) {
    push @$blocks, {text => "$text\n", end => $line, starts => [[0, $line]]};
  }
}

sub markdown {
  my (@blocks, $code, $allow);
  my $line = 0;
  for (split /\n/, $_[0]) {
    ++$line;
    if (/^\s*```/) { $code = !$code; next }
    next if $code;
    if (/^\s*$/) { $blocks[-1]{end} = -1 if @blocks; $allow = $allow && $allow > 1 ? 1 : 0; next }
    if (/<!--.*lint: allow/) { $allow = 2; next }
    next if $allow;
    if (/^#/) { push @blocks, {text => s/^#+ //r . "\n", end => -1, starts => [[0, $line]]}; next }
    add(\@blocks, $line, $_);
  }
  # Code and addresses are no prose.
  for my $block (@blocks) {
    $block->{text} =~ s{(`+)(.*?)\1}{'C' . $2 =~ s/[^\n]//gr}gse;
    $block->{text} =~ s{\]\(([^()]*)\)}{']' . $1 =~ s/[^\n]//gr}gse;
  }
  return @blocks;
}

# Comments, and texts of three words or more in quotes.
sub code {
  my ($text, $comment, $quotes) = @_;
  my (@comments, @strings);
  my $line = 0;
  for (split /\n/, $text) {
    ++$line;
    next if /lint: allow/;
    my $rest = $_;
    $rest =~ s{((["'`])(?:\\.|(?!\2)[^\\])*\2)}{
      my $string = $1;
      my $is_first = substr($rest, 0, $-[0]) !~ /\S/;
      $strings[-1]{end} = -1 if @strings && !$is_first;  # no concatenation with the line before
      add(\@strings, $line, substr $string, 1, -1) if $string =~ /^["`]\S* \S+ /;
      ' ' x length $string}ge if $quotes;
    $strings[-1]{end} = -1 if @strings && !/["`]\s*\\?$/;
    if ($rest =~ /$comment/) {
      my $at = $+[0];
      add(\@comments, $line, substr $_, $at);
    } elsif (@comments) { $comments[-1]{end} = -1 }
  }
  $_->{text} =~ s{`[^`\n]*`}{'C' x length $&}ge for @comments;  # code
  return @comments, @strings;
}

my $slashes = qr{^\s*(?:/\*+|\*(?!/))|(?<!:)//[/!]?<?};
my $hash = qr{(?:^|\s)#+(?!!|\w|include|define|if|endif)};
my %readers = (
  md => \&markdown,
  (map { $_ => sub { code($_[0], $slashes, $_[1]) } } qw(cpp hpp js mjs)),
  css => sub { code($_[0], $slashes, 0) },
  py => sub { code($_[0], $hash, $_[1]) },
  (map { $_ => sub { code($_[0], $hash, 0) } } qw(pl sh cmake txt toml yml)),
);

# ---- the checks

sub line_of {
  my ($block, $at) = @_;
  return (grep { $_->[0] <= $at } @{$block->{starts}})[-1][1];
}

sub check_patterns {
  my ($file, $block) = @_;
  for (@compiled) {
    my ($pattern, $instead) = @$_;
    while ($block->{text} =~ /$pattern/g) {
      my ($at, $found) = ($-[0], $& =~ s/\s+/ /gr);
      fail "$file:" . line_of($block, $at) . ": \"$found\": write $instead";
    }
  }
}

sub check_sentences {
  my ($file, $block) = @_;
  return if $block->{text} =~ /^\s*\|/;  # a table
  my $at = 0;
  for my $sentence (split /(?<=[.!?:;])(?=\s)/, $block->{text}) {
    my $words = () = $sentence =~ /(?:^|\s)[^\s\w]*\w/g;
    fail "$file:" . line_of($block, $at + ($sentence =~ /^\s*/ ? $+[0] : 0))
      . ": a sentence of $words words; at most $longest" if $words > $longest;
    $at += length $sentence;
  }
}

my @files = @ARGV ? @ARGV : grep { !m{/(?:corpus|golden|third_party)/} } split /\n/, `git ls-files`;
for my $file (@files) {
  next if $file =~ m{^tests/lint/prose\.pl$};
  my ($ending) = $file =~ /\.(\w+)$/;
  my $reader = $readers{$ending // ''} // ($file =~ m{^(?:dev|\.ci/run)$} ? $readers{sh} : next);
  open my $in, '<:utf8', $file or next;
  my $text = do { local $/; <$in> };
  my $has_messages = $file !~ m{(?:^|/)tests/};  # strings in tests are data
  for my $block ($reader->($text, $has_messages)) {
    check_patterns($file, $block);
    check_sentences($file, $block) if $ending && $ending eq 'md';
  }
}
printf "%d patterns, %d files, %d faults\n", scalar @patterns, scalar @files, $failures;
exit($failures > 0);
