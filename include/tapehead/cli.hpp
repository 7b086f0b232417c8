#pragma once
// All public headers except the headers of single parts, for a program with the command line.
#include "train.hpp"

#include <tapehead/cli/app.hpp>
#include <tapehead/parts/parts.hpp>
