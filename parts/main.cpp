#include "../cli/app.hpp"
#include "parts.hpp"

int main(int argc, char** argv) { return tapehead::run(argc, argv, tapehead::make_registry()); }
