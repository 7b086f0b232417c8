#include "app.hpp"

int main(int argc, char** argv) { return tapehead::run(argc, argv); }
