#!/usr/bin/perl
# Checks that no result depends on the C library's math functions, whose last bits differ between
# machines: the library calls only those that IEEE 754 requires to be exactly rounded. Also checks
# that kernels of a level export only their table, so that no other code uses their instructions.
# usage: tests/symbols_check.pl NM LIBRARIES...
use strict;
use warnings;

my ($nm, @libraries) = @ARGV;
my $inexact = join '|', qw(exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt hypot sin cos tan sincos
  asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma);
my ($object, $symbols, @faults) = ('', 0);
open my $lines, '-|', $nm, '--format=posix', @libraries or die "$nm: $!";
while (<$lines>) {
  if (/\[(.+)\]:$/) { $object = $1; next }
  my ($name, $kind) = split;
  next unless defined $kind;
  ++$symbols;
  push @faults, "$object calls $name"
    if $kind eq 'U' && $name =~ /^(?:_ZGV\w+_)?(?:__)?(?:$inexact)[fl]?(?:_finite)?$/;
  next unless $kind =~ /^[TVWuBDR]$/ && $object =~ /\.(v\d)\.o$/;
  my $own = qr/tapehead6kernel2$1|\.$1$|^_ZT[ISV]|^DW\.ref/;
  push @faults, "$object exports $name" unless $name =~ $own;
}
close $lines or die "$nm failed\n";
print map { "$_\n" } @faults;
print "$symbols symbols of @libraries are correct\n" if !@faults;
exit(@faults > 0 || $symbols < 1000);
