#pragma once
// Suites are named like their files, and these like what they test. The namespace that Boost opens
// for a suite would be confused with a function of its name in the other files of the folder, which
// are compiled with it as one unit: here it ends in _suite.
#include <boost/test/unit_test.hpp>

#undef BOOST_AUTO_TEST_SUITE_WITH_DECOR
#define BOOST_AUTO_TEST_SUITE_WITH_DECOR(suite, decorators) \
  namespace suite##_suite {                                 \
    BOOST_AUTO_TU_REGISTRAR(suite)(BOOST_STRINGIZE(suite), __FILE__, __LINE__, decorators);
