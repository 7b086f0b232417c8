#pragma once
// Everything but the parts' own headers, for a program with the command line.
#include "train.hpp"

#include <tapehead/cli/app.hpp>
#include <tapehead/parts/parts.hpp>
