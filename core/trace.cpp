#include "trace.hpp"

namespace tapehead {

void count_multiply_adds(double multiply_adds) {
  if (TapeListener* const listener = Listening::current()) listener->multiplying(multiply_adds);
}

}  // namespace tapehead
