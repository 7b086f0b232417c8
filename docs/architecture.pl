#!/usr/bin/perl
# Draws docs/architecture.svg, the plan of the house, from the includes of the sources: a band is a
# floor, a box a room (a folder), an arrow leads from a room to one whose files it includes.
#
#   docs/architecture.pl           draws the picture
#   docs/architecture.pl --check   fails if the committed picture isn't what would be drawn now, or
#                                  if the evening path names no file
use strict;
use warnings;
use Cwd 'abs_path';

chdir abs_path($0) =~ s{/docs/[^/]*$}{}r or die "$!\n";
my $picture = 'docs/architecture.svg';

# From the top of the house to its ground; floors in one row stand side by side.
my @rows = (['parts'], ['cli'], ['train'], ['nn', 'optim'], ['core']);
my %subtitle = (
  parts => 'what is optional: each folder can be left out',
  cli   => 'the command line',
  train => 'tasks, the training loop, checkpoints',
  nn    => 'layers and models',
  optim => 'optimizers',
  core  => 'tensors, the tape, ops and their kernels',
);
my %width = (parts => 1120, cli => 1120, train => 1120, nn => 685, optim => 401, core => 1120);
my ($margin, $between, $pad, $gap, $box) = (64, 46, 20, 20, 62);

# room => lines of code; room => the folders inside it; from => to => 1 for rooms and for floors
my (%lines, %inside, %includes, %floor_includes);
my %rooms;  # floor => its rooms, from left to right

sub slurp {
  open my $file, '<', $_[0] or die "$_[0]: $!\n";
  local $/;
  return scalar <$file>;
}

# The files of core/ itself are the room core, those of core/ops and all below it the room core/ops.
sub room { return $_[0] =~ m{^(\w+/\w+)/} ? $1 : $_[0] =~ s{/.*}{}r }
sub floor_of { return $_[0] =~ s{/.*}{}r }

# core/ops and ../tape.hpp -> core/tape.hpp
sub resolve {
  my $path = "$_[0]/$_[1]";
  1 while $path =~ s{[^/]+/\.\./}{};
  return $path;
}

sub read_sources {
  for my $path (map { glob "$_/{,*/,*/*/,*/*/*/}*.{cpp,hpp,js,css,html}" } map { @$_ } @rows) {
    next unless -f $path && $path !~ m{^parts/\w+/(exercises|templates|tests|src)/};  # not the library's
    my ($room, $folder, $text) = (room($path), $path =~ s{/[^/]*$}{}r, slurp($path));
    $inside{$room}{$1} = 1 if $path =~ m{^\w+/\w+/(\w+)/};
    $lines{$room} += grep { s{//.*}{}r =~ /\S/ } split /\n/, $text;
    while ($text =~ /^#include "([^"]+)"/mg) {
      my $to = room(resolve($folder, $1));
      next if $to eq $room;
      if (floor_of($to) eq floor_of($room)) {
        $includes{$room}{$to} = 1;
      } else {
        $floor_includes{floor_of($room)}{floor_of($to)} = 1;
      }
    }
  }
}

# What an order of rooms costs: arrows that lead left most of all, then the length of all arrows.
sub cost {
  my @order = @_;
  my $sum = 0;
  for my $i (0 .. $#order) {
    for my $j (0 .. $#order) {
      $sum += abs($i - $j) + ($i > $j ? 100 : 0) if $includes{$order[$i]}{$order[$j]};
    }
  }
  return $sum;
}

# Moves single rooms for as long as that makes the order better.
sub ordered {
  my @order = sort @_;
  my $best = cost(@order);
  for (my $again = 1; $again;) {
    $again = 0;
    for my $from (0 .. $#order) {
      for my $to (0 .. $#order) {
        my @tried = @order;
        splice @tried, $to, 0, splice(@tried, $from, 1);
        my $cost = cost(@tried);
        ($best, $again, @order) = ($cost, 1, @tried) if $cost < $best;
      }
    }
  }
  return @order;
}

# To the nearest hundred, so that the picture needn't be drawn anew for every line.
sub about {
  my $hundreds = int($_[0] / 100 + 0.5) || 1;
  return ($hundreds * 100) =~ s/(\d)(\d{3})$/$1,$2/r . ' lines';
}

my @svg;
sub draw { push @svg, sprintf shift, @_ }

sub arrow {
  my ($class, $both, $path) = @_;
  draw '<path class="%s" d="%s" marker-end="url(#%s)"%s/>', $class, $path, $class,
    $both ? " marker-start=\"url(#$class)\"" : '';
}

# How high an arrow rises over rooms that are so far apart.
sub rise { return 15 + 14 * $_[0] }

sub band_of {
  my $highest = 0;
  for my $floor (@_) {
    my @order = @{$rooms{$floor}};
    for my $i (0 .. $#order) {
      for my $j ($i + 2 .. $#order) {
        $highest = $j - $i if $j - $i > $highest
          && ($includes{$order[$i]}{$order[$j]} || $includes{$order[$j]}{$order[$i]});
      }
    }
  }
  return 48 + ($highest ? rise($highest) : 4) + $box + $pad;
}

sub draw_floor {
  my ($floor, $left, $top, $band) = @_;
  my @rooms = @{$rooms{$floor}};
  my $total = 0;
  $total += $lines{$_} for @rooms;
  draw '<rect class="floor %s" x="%d" y="%d" width="%d" height="%d" rx="10"/>', $floor, $left, $top,
    $width{$floor}, $band;
  draw '<text class="name" x="%d" y="%d">%s<tspan class="small" dx="10">%s</tspan></text>',
    $left + $pad, $top + 30, $floor, $subtitle{$floor};
  draw '<text class="small" x="%d" y="%d" text-anchor="end">%s</text>',
    $left + $width{$floor} - $pad, $top + 30, about($total);

  # Where a floor has many rooms, they stand closer together and have smaller names.
  my $many = @rooms > 9;
  my $gap = $many ? 12 : $gap;
  my $each = ($width{$floor} - 2 * $pad - $gap * $#rooms) / @rooms;
  my $longest = (sort { $b <=> $a } map { length s{.*/}{}r } @rooms)[0];
  my $size = $many ? sprintf(' style="font-size: %.1fpx"', 1.55 * $each / ($longest + 1)) : '';
  my $y = $top + $band - $pad - $box;
  my @x = map { $left + $pad + $_ * ($each + $gap) } 0 .. $#rooms;
  for my $i (0 .. $#rooms) {
    my $name = $rooms[$i] =~ s{.*/}{}r;
    my @folders = $many ? () : sort keys %{$inside{$rooms[$i]}};
    my $middle = $x[$i] + $each / 2;
    draw '<rect class="room" x="%.1f" y="%d" width="%.1f" height="%d" rx="5"/>', $x[$i], $y, $each,
      $box;
    draw '<text class="room-name" x="%.1f" y="%d"%s>%s/</text>', $middle,
      $y + (@folders ? 21 : 27), $size, $name;
    draw '<text class="lines" x="%.1f" y="%d">%s</text>', $middle, $y + (@folders ? 38 : 46),
      about($lines{$rooms[$i]}) =~ s/ lines//r . ($many ? '' : ' lines');
    draw '<text class="lines" x="%.1f" y="%d">%s</text>', $middle, $y + 54,
      join('  ', map { "$_/" } @folders) if @folders;
  }
  for my $i (0 .. $#rooms) {
    for my $j ($i + 1 .. $#rooms) {
      my ($right, $back) = ($includes{$rooms[$i]}{$rooms[$j]}, $includes{$rooms[$j]}{$rooms[$i]});
      next unless $right || $back;
      if ($j == $i + 1) {
        my ($from, $to, $level) = ($x[$i] + $each + 1, $x[$j] - 1, $y + $box / 2);
        ($from, $to) = ($to, $from) unless $right;
        arrow('inner', $right && $back, sprintf 'M%.1f,%.1f H%.1f', $from, $level, $to);
      } else {
        # Arrows leave from the right half of a room and arrive in the left half of another, each at
        # a point of its own.
        my $from = $x[$i] + $each * (0.5 + 0.45 * ($#rooms - $j + 1) / @rooms);
        my $to = $x[$j] + $each * (0.5 - 0.45 * ($i + 1) / @rooms);
        my $peak = $y - 1 - rise($j - $i) / 0.75;  # a curve rises to 3/4 of its control points
        ($from, $to) = ($to, $from) unless $right;
        arrow('inner', $right && $back, sprintf 'M%.1f,%d C%.1f,%.1f %.1f,%.1f %.1f,%d',
          $from, $y - 1, $from, $peak, $to, $peak, $to, $y - 1);
      }
    }
  }
}

sub draw_house {
  my (%left, %top, %bottom, %level);
  my $level = 0;
  my $height = 20;
  for my $row (@rows) {
    for my $floor (@$row) {
      $rooms{$floor} = [ordered(grep { floor_of($_) eq $floor } keys %lines)];
      $level{$floor} = $level;
    }
    ++$level;
    my ($x, $band) = ($margin, band_of(@$row));
    for my $floor (@$row) {
      ($left{$floor}, $top{$floor}, $bottom{$floor}) = ($x, $height, $height + $band);
      draw_floor($floor, $x, $height, $band);
      $x += $width{$floor} + 34;
    }
    $height += $band + $between;
  }
  my ($left_wall, $right_wall) = ($margin, $margin + $width{core});
  for my $from (sort keys %floor_includes) {
    for my $to (sort keys %{$floor_includes{$from}}) {
      next if $from eq 'parts' && $to ne 'cli';  # they include what they like of all below
      die "$from includes $to, which isn't under it\n" if $level{$to} <= $level{$from};
      my $straight = 'M%.1f,' . ($bottom{$from} + 2) . ' V' . ($top{$to} - 3);
      if ($level{$to} == $level{$from} + 1) {  # through the middle of the narrower of the two
        my $narrow = $width{$from} < $width{$to} ? $from : $to;
        arrow('outer', 0, sprintf $straight, $left{$narrow} + $width{$narrow} / 2);
      } elsif ($from eq 'train') {  # between nn and optim
        arrow('outer', 0, sprintf $straight, $left{optim} - 17);
      } elsif ($to eq 'nn') {
        arrow('outer', 0, sprintf 'M%d,%d h-22 V%d h19', $left_wall - 2, $top{$from} + 60,
          $top{$to} + 60);
      } else {
        my ($out, $down) = $to eq 'core' ? (42, 40) : (22, 60);
        arrow('outer', 0, sprintf 'M%d,%d h%d V%d h-%d', $right_wall + 2, $top{$from} + $down, $out,
          $top{$to} + 60, $out - 1);
      }
    }
  }
  $height -= $between - 20;
  my $width = $width{core} + 2 * $margin;
  my $style = join "\n", map { s/^ {4}//r } split /\n/, <<'STYLE';
    text { font-family: system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2933 }
    .name { font-size: 20px; font-weight: 700 }
    .small { font-size: 14px; font-weight: 400; fill: #52606d }
    .room-name { font-size: 13px; font-weight: 600; text-anchor: middle }
    .lines { font-size: 12.5px; fill: #52606d; text-anchor: middle }
    .floor { stroke: #cbd2d9 }
    .parts { fill: #f5f7fa } .cli { fill: #e3f0fb } .train { fill: #e6f4ea } .nn { fill: #fdf1dc } .optim { fill: #fbe9e7 }
    .core { fill: #ece8f7 }
    .room { fill: #ffffff; stroke: #9aa5b1 }
    .inner { fill: none; stroke: #7b8794; stroke-width: 1.4 }
    .outer { fill: none; stroke: #323f4b; stroke-width: 2.6 }
STYLE
  my $marker = '<marker id="%s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="%d" '
    . 'markerHeight="%d" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    . '<path d="M0,0 L8,4 L0,8 z" fill="%s"/></marker>';
  return join "\n",
    qq(<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" )
      . qq(viewBox="0 0 $width $height">),
    '<title>The floors and rooms of Tapehead, and which includes which</title>',
    "<style>\n$style\n</style>",
    sprintf($marker, 'inner', 8, 8, '#7b8794'), sprintf($marker, 'outer', 14, 14, '#323f4b'),
    qq(<rect width="$width" height="$height" rx="12" fill="#ffffff"/>), @svg, "</svg>\n";
}

# The files that a page lists under "The evening path".
sub evening_path {
  my ($section) = slurp($_[0]) =~ /^## The evening path\n(.*?)(?:^## |\z)/ms;
  return grep { m{^(?:core|nn|optim|examples)/} } ($section // '') =~ /`([^`\n]+)`/g;
}

sub check {
  my ($drawn) = @_;
  my @faults;
  push @faults, "$picture isn't what the sources are now; docs/architecture.pl draws it anew"
    if !-e $picture || slurp($picture) ne $drawn;
  my @path = evening_path('docs/architecture.md');
  push @faults, 'docs/architecture.md: no evening path' unless @path;
  push @faults, map { "docs/architecture.md: the evening path lists $_, which isn't there" }
    grep { !-e "$_.cpp" && !-e "$_.hpp" } @path;
  print "$_\n" for @faults;
  return scalar @faults;
}

read_sources();
my $drawn = draw_house();
exit(check($drawn) > 0) if ($ARGV[0] // '') eq '--check';
open my $file, '>', $picture or die "$picture: $!\n";
print $file $drawn;
close $file or die "$picture: $!\n";
