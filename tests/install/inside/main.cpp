#include <tapehead/cli.hpp>
#include <tapehead/tapehead.hpp>

int main() { return tapehead::scalar(2).item() == 2 ? 0 : 1; }
