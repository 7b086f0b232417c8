#include <tapehead/cli.hpp>

int main() { return tapehead::everything().tasks().empty(); }
