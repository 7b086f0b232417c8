#include <tapehead/cli.hpp>

int main() { return tapehead::make_registry().tasks().empty(); }
