#pragma once
// The library, training and the command line, without the headers of optional modules (parts/).
#include "train.hpp"

#include <tapehead/cli/app.hpp>
#include <tapehead/parts/parts.hpp>
