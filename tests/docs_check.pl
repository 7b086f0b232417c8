#!/usr/bin/perl
# Holds a page of the documentation to what really happens:
#
#   ```cpp with a main()   is compiled; the ```text after it is its output, or the ```console after
#                          it runs it as ./NAME
#   ```console             each line after "$ " is run, and prints the lines that follow; there, a
#                          line "..." stands for any lines and "…" for any text; a command that
#                          fails must show an error, or findings
#   ```console no-run      only for ./dev, git clone and cd
#   ```console long        is run where TAPEHEAD_ALL is set; else its trainings are dry runs, and the
#                          rest is not run
#   ```text                a program's output, or a figure; so are math and mermaid
#   ```pycon               a session of Python, which parts/python/tests run
#   anything else          occurs in a file of the sources, but for its indentation
#
# Lines have at most 100 columns. Commands run in an empty folder with `tapehead` on the path and
# the build in build/release.
#
#   docs_check.pl extract PAGE DIR     writes DIR/NAME_1.cpp ..., and prints the names
#   docs_check.pl check PAGE BUILD     runs the page; both are called in the repository's root
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

# -> ({language, note, line, text, program}, ...)
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
  die "$page:$block->{line}: block without an end\n" if $block;
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

sub expect {
  my ($block, $what, $expected, $output, $status) = @_;
  my $pattern = join '', map {
    chomp(my $line = $_);
    $line eq '...' ? '(?:.*\n)*?' : join('[^\n]*', map { quotemeta } split /…/, $line, -1) . '\n'
  } split /^/, $expected;
  $output .= "\n" if $output =~ /[^\n]\z/;
  fail($block, "$what ended with status " . ($status & 127 || $status >> 8))
    if $status & 127 || ($status && $expected !~ /error|^(?:tapehead|mine): |^findings in \d/im);
  fail($block, "$what printed\n$output-- where the page shows\n$expected--") if $output !~ /\A$pattern\z/;
}

sub check_console {
  my ($block) = @_;
  my ($preamble, @commands) = split /^\$ /m, $block->{text};
  return fail($block, 'the first line is no command') if $preamble ne '' || !@commands;
  for (@commands) {
    my ($command, $expected) = /^((?:[^\n]*\\\n)*[^\n]*)\n?(.*)\z/s;
    if ($block->{note} eq 'no-run') {
      fail($block, "must be run: $command") if $command !~ m{^(?:\./dev|git clone|cd)(?: |$)};
    } elsif ($block->{note} eq 'long' && !$ENV{TAPEHEAD_ALL}) {
      next if $command !~ /^(?:tapehead|\.\/\w+) train /;
      my ($output, $status) = run("$command --dry-run");
      fail($block, "$command --dry-run printed\n$output") if $status;
    } else {
      expect($block, $command, $expected, run($command));
    }
  }
}

# Lines without their indentation, so that a part of a file can stand alone.
sub bare { return "\n" . join("\n", map { s/^\s+|\s+$//gr } split /\n/, $_[0]) . "\n" }

sub check_lines {
  my $line = 0;
  for (split /\n/, slurp($page)) {
    ++$line;
    utf8::decode(my $text = $_);
    fail({line => $line}, 'longer than 100 columns') if length $text > 100;
  }
}

sub check {
  my $build = abs_path($folder);
  check_lines();
  my @blocks = blocks();
  my @sources = map { bare(slurp($_)) } grep { -f } map { glob }
    '{core,nn,optim,train,cli,parts,examples,tests,bench}/{,*/,*/*/}{*.[ch]pp,CMakeLists.txt}',
    'bench/*.py', 'include/tapehead/*.hpp';

  chdir tempdir(CLEANUP => 1) or die "$!\n";
  mkdir 'build';
  symlink $build, 'build/release';
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
        expect($block, 'it', $next->{language} eq 'text' ? $next->{text} : $output, $output, $status);
      }
    } elsif ($block->{language} eq 'console') {
      check_console($block);
    } elsif ($block->{language} eq '') {
      fail($block, 'the block names no language');
    } elsif ($block->{language} !~ /^(?:text|math|mermaid|pycon)$/) {
      my $snippet = bare($block->{text});
      fail($block, 'no source file contains this') unless grep { index($_, $snippet) >= 0 } @sources;
    }
  }
  chdir '/';
}

$action eq 'extract' ? extract() : check();
exit($failures > 0);
