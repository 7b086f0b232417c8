#!/usr/bin/perl
# Checks a page of the documentation against the program:
#
#   ```cpp with a main()   is compiled; the ```text after it is its output, or the ```console after
#                          it runs it as ./NAME
#   ```console             each line after "$ " is run and must print the lines that follow; "..."
#                          matches any lines and "…" any text; a command that fails must show an
#                          error, or findings
#   ```console no-run      only for ./dev, git clone and cd
#   ```console long        is run if TAPEHEAD_ALL is set; otherwise its trainings are dry runs, and
#                          the rest isn't run
#   ```text                a program's output, or a figure; so are math and mermaid
#   ```pycon               a Python session, run by parts/python/tests
#   anything else          must occur in a source file, apart from indentation
#
# Lines have at most 100 columns, except rows of tables. Commands run in a folder that has only the
# examples, with `tapehead` on the path and the build in build/release.
#
#   docs_check.pl extract PAGE DIR     writes DIR/NAME_1.cpp ..., and prints the names
#   docs_check.pl check PAGE BUILD     checks the page
#   docs_check.pl update PAGE BUILD    runs the page and replaces outputs that differ, keeping "..."
#                                      and "…". Doesn't change a page with a failing command.
#                                      Read the diff before you commit.
#
# Run it in the repository's root.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';

my ($action, $page, $folder) = @ARGV;
(my $name = $page) =~ s/\.md$//;
$name =~ s{/}{_}g;
my $failures = 0;

sub slurp {
  open my $file, '<', $_[0] or die "$_[0]: $!\n";
  local $/;
  return scalar <$file>;
}

# Returns ({language, note, line, text, program}, ...).
sub blocks {
  my (@blocks, $block, $indent);
  my $programs = 0;
  my $line = 0;
  for (split /^/, slurp($page)) {
    ++$line;
    if ($block && /^\s*```\s*$/) {
      $block->{program} = $name . '_' . ++$programs
        if $block->{language} eq 'cpp' && $block->{text} =~ /\bint main\(/;
      push @blocks, $block;
      undef $block;
    } elsif ($block) {
      s/^ {0,$indent}//;
      $block->{text} .= $_;
    } elsif (/^( *)```(\S*)\s*(.*?)\s*$/) {
      $indent = length $1;
      $block = {language => $2, note => $3, line => $line, text => ''};
    }
  }
  die "$page:$block->{line}: unterminated block\n" if $block;
  return @blocks;
}

sub fail {
  my ($block, $message) = @_;
  print "$page:$block->{line}: $message\n";
  ++$failures;
}

sub extract {
  for my $block (grep { $_->{program} } blocks()) {
    my $path = "$folder/$block->{program}.cpp";
    my $code = "#line " . ($block->{line} + 1) . " \"$page\"\n$block->{text}";
    print "$block->{program}\n";
    next if -e $path && slurp($path) eq $code;
    open my $file, '>', $path or die "$path: $!\n";
    print $file $code;
    close $file or die "$path: $!\n";
  }
}

sub run {
  my ($command) = @_;
  open my $pipe, '-|', 'bash', '-c', "exec 2>&1 </dev/null\n$command" or die "bash: $!\n";
  local $/;
  my $output = <$pipe> // '';
  close $pipe;
  return ($output, $?);
}

sub line_pattern { return join '[^\n]*', map { quotemeta } split /…/, $_[0], -1 }

# Compares an output with the one in a block. Returns the text that the block should have.
sub expect {
  my ($block, $what, $expected, $output, $status) = @_;
  my $pattern = join '', map {
    chomp(my $line = $_);
    $line eq '...' ? '(?:.*\n)*?' : line_pattern($line) . '\n'
  } split /^/, $expected;
  $output .= "\n" if $output =~ /[^\n]\z/;
  if ($status & 127 || ($status && $expected !~ /error|^(?:tapehead|mine): |^findings in \d/im)) {
    fail($block, "$what exited with status " . ($status & 127 || $status >> 8));
    return $expected if $action eq 'update';
  }
  return $expected if $output =~ /\A$pattern\z/;
  return updated($expected, $output) if $action eq 'update';
  fail($block, "$what printed\n$output-- but the page shows\n$expected--");
}

# ---- update

# Returns the shown line updated, if it differs only in numbers, hashes and charts; keeps "…".
# Returns undef for other differences.
sub updated_line {
  my ($shown, $line) = @_;
  my $number = '[ ]*[-+]?(?:[0-9a-f]{16}|\d[\d.,]*(?:e[-+]?\d+)?)';
  my $chart = '(?:\xe2(?:\x96.|[\xa0-\xa3].)|[ ])+';
  my @parts = split /…/, $shown, -1;
  my $pattern = join '[^\n]*?', map {
    my @pieces = map {
      /^$number\z/ ? $number : /^ +\z/ ? "(?:$_| +?)" : /^$chart\z/ ? $chart : quotemeta
    } split /($number|$chart)/;
    join '', '(', @pieces, ')'
  } @parts;
  my @found = $line =~ /\A$pattern\z/;
  for my $i (@found ? 0 .. $#parts - 1 : ()) {  # keeps the number of digits before "…"
    my $digits = $parts[$i] =~ /([\d.]+)\z/ ? length $1 : next;
    $found[$i] =~ s/([\d.]{$digits})[\d.]*\z/$1/;
  }
  return @found ? join '…', @found[0 .. $#parts] : undef;
}

# Returns the output, keeping as much as possible of what was shown: the cheapest alignment.
sub updated {
  my ($expected, $output) = @_;
  my @shown = split /\n/, $expected;
  my @lines = split /\n/, $output;
  my (@cost, @step);
  for my $i (reverse 0 .. @shown) {
    for my $j (reverse 0 .. @lines) {
      my @ways = $i == @shown && $j == @lines ? [0, 0, 0] : ();
      my $add = sub {
        my ($cost, $down, $right, $text) = @_;
        push @ways, [$cost + $cost[$i + $down][$j + $right], $down, $right, $text];
      };
      my $rest = $i < @shown && $shown[$i] eq '...';
      $add->(0, 1, 0, '...') if $rest;
      $add->($rest ? 0 : 3, 0, 1, $rest ? undef : $lines[$j]) if $j < @lines;
      $add->(3, 1, 0, undef) if $i < @shown && !$rest;
      if ($i < @shown && $j < @lines && !$rest) {
        my $same = $lines[$j] =~ /\A@{[line_pattern($shown[$i])]}\z/;
        my $text = $same ? $shown[$i] : updated_line($shown[$i], $lines[$j]);
        my $row = (split ' ', $shown[$i])[0] // '';  # a step or a name
        my $cost = $same ? 0 : $row eq ((split ' ', $lines[$j])[0] // '') ? 1 : 2;
        $add->($cost, 1, 1, $text) if defined $text;
      }
      my ($best) = sort { $a->[0] <=> $b->[0] } @ways;
      ($cost[$i][$j], $step[$i][$j]) = ($best->[0], $best);
    }
  }
  my ($i, $j, $text) = (0, 0, '');
  while ($i < @shown || $j < @lines) {
    my (undef, $down, $right, $line) = @{$step[$i][$j]};
    print "$page: no longer printed: $shown[$i]\n" if $down && !defined $line;
    $text .= "$line\n" if defined $line;
    $i += $down;
    $j += $right;
  }
  return $text;
}

# Writes the new texts of the blocks.
sub rewrite {
  my ($path, @blocks) = @_;
  my @lines = split /^/, slurp($path);
  for my $block (reverse grep { defined $_->{new} && $_->{new} ne $_->{text} } @blocks) {
    my $count = () = $block->{text} =~ /\n/g;
    my ($indent) = $lines[$block->{line} - 1] =~ /^( *)/;
    splice @lines, $block->{line}, $count, map { /^\n/ ? $_ : "$indent$_" } split /^/, $block->{new};
  }
  open my $file, '>', $path or die "$path: $!\n";
  print $file @lines;
  close $file or die "$path: $!\n";
}

sub check_console {
  my ($block) = @_;
  my ($preamble, @commands) = split /^\$ /m, $block->{text};
  return fail($block, 'the first line must be a command') if $preamble ne '' || !@commands;
  my $new = '';
  for (@commands) {
    my ($command, $expected) = /^((?:[^\n]*\\\n)*[^\n]*)\n?(.*)\z/s;
    $new .= "\$ $command\n";
    if ($block->{note} eq 'no-run') {
      fail($block, "must be run: $command") if $command !~ m{^(?:\./dev|git clone|cd)(?: |$)};
    } elsif ($block->{note} eq 'long' && !$ENV{TAPEHEAD_ALL}) {
      $new .= $expected;
      next if $command !~ /^(?:tapehead|\.\/\w+) train /;
      my ($output, $status) = run("$command --dry-run");
      fail($block, "$command --dry-run printed\n$output") if $status;
    } else {
      $new .= expect($block, $command, $expected, run($command)) // '';
    }
  }
  $block->{new} = $new if $block->{note} ne 'no-run';
}

# Removes indentation, so that a part of a file can be quoted alone.
sub bare { return "\n" . join("\n", map { s/^\s+|\s+$//gr } split /\n/, $_[0]) . "\n" }

sub check_lines {
  my $line = 0;
  for (split /\n/, slurp($page)) {
    ++$line;
    utf8::decode(my $text = $_);
    fail({line => $line}, 'longer than 100 columns') if length $text > 100 && $text !~ /^\|/;
  }
}

sub check {
  my $build = abs_path($folder);
  my $path = abs_path($page);
  check_lines();
  my @blocks = blocks();
  my @sources = map { bare(slurp($_)) } grep { -f } map { glob }
    '{core,nn,optim,train,cli,parts,examples,tests,bench}/{,*/,*/*/}{*.[ch]pp,CMakeLists.txt}',
    'bench/*.py', 'examples/*.toml', 'include/tapehead/*.hpp';

  my $examples = abs_path('examples');
  chdir tempdir(CLEANUP => 1) or die "$!\n";
  mkdir 'build';
  symlink $build, 'build/release';
  symlink $examples, 'examples';
  $ENV{HOME} = abs_path('.');
  $ENV{PATH} = "$build/bin:$ENV{PATH}";

  for my $i (0 .. $#blocks) {
    my $block = $blocks[$i];
    my $next = $blocks[$i + 1] // {language => ''};
    if ($block->{program}) {
      my $program = "$build/docs/$block->{program}";
      if ($next->{language} eq 'console' && $next->{text} =~ m{^\$ \./([\w-]+)}) {
        symlink $program, $1;
      } else {
        my ($output, $status) = run($program);
        my $new = expect($block, 'it', $next->{language} eq 'text' ? $next->{text} : $output, $output,
                         $status);
        $next->{new} = $new if $next->{language} eq 'text';
      }
    } elsif ($block->{language} eq 'console') {
      check_console($block);
    } elsif ($block->{language} eq '') {
      fail($block, 'the block has no language');
    } elsif ($block->{language} !~ /^(?:text|math|mermaid|pycon)$/) {
      my $snippet = bare($block->{text});
      fail($block, 'no source file contains this') unless grep { index($_, $snippet) >= 0 } @sources;
    }
  }
  chdir '/';
  rewrite($path, @blocks) if $action eq 'update' && !$failures;
}

$action eq 'extract' ? extract() : check();
exit($failures > 0);
