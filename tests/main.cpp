#define BOOST_TEST_MODULE tapehead
#include <boost/test/unit_test.hpp>
