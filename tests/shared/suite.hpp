#pragma once
// Suites are named like their files. Boost opens a namespace for each suite. It could clash with a
// function of the same name in other files of the folder, which are compiled as one unit. So here
// its name ends in _suite.
#include <boost/test/unit_test.hpp>

#undef BOOST_AUTO_TEST_SUITE_WITH_DECOR
#define BOOST_AUTO_TEST_SUITE_WITH_DECOR(suite, decorators) \
  namespace suite##_suite {                                 \
    BOOST_AUTO_TU_REGISTRAR(suite)(BOOST_STRINGIZE(suite), __FILE__, __LINE__, decorators);
