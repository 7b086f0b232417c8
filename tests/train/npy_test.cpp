#include "../../train/files/npy.hpp"
#include "../../train/files/files.hpp"
#include "../shared/scratch.hpp"
#include "../shared/support.hpp"

#include <cmath>

namespace tapehead {
BOOST_AUTO_TEST_SUITE(npy)

namespace {

using namespace std::string_literals;

/// Returns a file with this header and elements, in NumPy's layout.
std::string file_of(std::string header, const std::string& elements, int version = 1) {
  header += '\n';
  const auto length = static_cast<std::uint32_t>(header.size());
  std::string bytes = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(length >> 8 * i);
  return bytes + header + elements;
}
std::string header_of(const std::string& type, const std::string& shape,
                      const std::string& fortran = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, fortran, shape);
}
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
Tensor read(const std::string& type, const std::vector<T>& values) {
  return from_npy(file_of(header_of(type, fmt::format("({},)", values.size())), bytes_of(values)));
}

void expect_refused(const std::string& bytes, const std::string& reason) {
  EXPECT_ERROR(ValueError, from_npy(bytes), reason);
}
void expect_no_header(const std::string& header, int byte) {
  expect_refused(file_of(header, "12345678"),
                 fmt::format("invalid header at byte {}, expected the form {{'descr': '<f4', "
                             "'fortran_order': False, 'shape': (2, 3), }}",
                             byte));
}

}  // namespace

BOOST_AUTO_TEST_CASE(written_data_is_read_back) {
  for (const Tensor& x :
       {tensor({1, -2.5, infinity, 0, -0.0, 3}, {2, 3}, DType::f32), scalar(0.1, DType::f64),
        tensor({7, -1, 2147483647}, DType::i32), zeros({3, 0, 2}, DType::f64), full({1}, 2),
        full({1, 1, 1, 1, 1, 1, 2, 3}, 3)})
    expect_equal(from_npy(to_npy(x)), x);
  BOOST_TEST(std::isnan(from_npy(to_npy(scalar(NAN)))(0)));
}

// Bytes from numpy.save, version 2.
BOOST_AUTO_TEST_CASE(bytes_equal_numpy_files) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string bytes = to_npy(zeros({2, 3}, DType::f32));
  BOOST_TEST(bytes == "\x93NUMPY\1\0v\0"s + header + std::string(117 - header.size(), ' ') + '\n' +
                          std::string(24, '\0'));
  BOOST_TEST(has(to_npy(ones({3}, DType::i32)),
                 "{'descr': '<i4', 'fortran_order': False, "
                 "'shape': (3,), }"));
  BOOST_TEST(has(to_npy(scalar(1, DType::f64)), "'shape': (), }"));
}

BOOST_AUTO_TEST_CASE(every_type_that_a_tensor_can_hold_is_read) {
  expect_equal(read<float>("<f4", {1, 2.5}), tensor({1, 2.5}, DType::f32));
  expect_equal(read<double>("<f8", {0.1}), tensor({0.1}, DType::f64));
  expect_equal(read<std::uint16_t>("<f2", {0x3c00, 0xc000}), tensor({1, -2}, DType::f32));
  expect_equal(read<std::uint8_t>("|b1", {1, 0}), tensor({1, 0}, DType::i32));
  expect_equal(read<std::int8_t>("|i1", {-128, 127}), tensor({-128, 127}, DType::i32));
  expect_equal(read<std::uint8_t>("|u1", {255}), tensor({255}, DType::i32));
  expect_equal(read<std::int16_t>("<i2", {-32768}), tensor({-32768}, DType::i32));
  expect_equal(read<std::uint16_t>("<u2", {65535}), tensor({65535}, DType::i32));
  expect_equal(read<std::uint32_t>("<u4", {2147483647}), tensor({2147483647}, DType::i32));
  expect_equal(read<std::int64_t>("<i8", {-2147483648, 2147483647}),
               tensor({-2147483648., 2147483647}, DType::i32));
  expect_equal(read<std::uint64_t>("<u8", {0}), tensor({0}, DType::i32));

  const auto refused = [](const auto& values, const char* type, const char* number) {
    EXPECT_ERROR(ValueError, read(type, values), "the number "s + number + " doesn't fit in i32");
  };
  refused(std::vector<std::int64_t>{1, 2147483648}, "<i8", "2147483648");
  refused(std::vector<std::int64_t>{-2147483649}, "<i8", "-2147483649");
  refused(std::vector<std::uint32_t>{2147483648}, "<u4", "2147483648");
  refused(std::vector<std::uint64_t>{18446744073709551615U}, "<u8", "18446744073709551615");
}

BOOST_AUTO_TEST_CASE(fortrans_order_becomes_row_by_row) {
  const std::string columns = bytes_of<float>({1, 4, 2, 5, 3, 6});
  expect_equal(from_npy(file_of(header_of("<f4", "(2, 3)", "True"), columns)),
               tensor({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f32));
  expect_equal(from_npy(file_of(header_of("<i4", "(2,)", "True"), bytes_of<int>({7, 8}))),
               tensor({7, 8}, DType::i32));
}

BOOST_AUTO_TEST_CASE(headers_of_all_versions_and_orders_are_read) {
  const std::string one = bytes_of<float>({3});
  for (int version : {1, 2, 3})
    expect_equal(from_npy(file_of(header_of("<f4", "(1,)"), one, version)),
                 tensor({3}, DType::f32));
  expect_equal(from_npy(file_of(R"({"shape":(1,),"fortran_order":False,"descr":"<f4"})", one)),
               tensor({3}, DType::f32));
}

BOOST_AUTO_TEST_CASE(invalid_files_are_refused) {
  const std::string good = file_of(header_of("<f4", "(2,)"), "12345678");
  for (std::size_t n = 0; n < good.size(); ++n)
    BOOST_CHECK_THROW(from_npy(good.substr(0, n)), ValueError);
  expect_refused("PK", "doesn't begin with \\x93NUMPY");
  expect_refused("\x93NUMPY\1"s, "ends within the header");
  expect_refused("\x93NUMPY\1\0\xff\xff{}"s, "ends within the header");
  expect_refused("\x93NUMPY\4\0\0\0"s, "format version 4 is not supported");
  expect_refused(good + "x", "9 bytes of data, expected 2 elements of 4 bytes");
  expect_refused(file_of(header_of("<f4", "(3,)"), "12345678"),
                 "8 bytes of data, expected 3 elements of 4 bytes");
  for (const char* type : {">f4", "=f4", "<c8", "|O", "<f16", "f4", "<U3"})
    expect_refused(file_of(header_of(type, "(2,)"), "12345678"),
                   fmt::format("element type '{}' is not supported, expected little-endian f4, f8, "
                               "i4, f2, b1, i1, u1, i2, u2, u4, i8, u8",
                               type));
}

BOOST_AUTO_TEST_CASE(impossible_shapes_are_refused) {
  const auto refused = [](const std::string& shape, const std::string& reason) {
    expect_refused(file_of(header_of("<f4", shape), "12345678"), reason);
  };
  const std::string many = "the shape has too many elements";
  refused("(9223372036854775807, 2)", many);
  refused("(4294967296, 4294967296, 4294967296)", many);
  refused("(0, 4294967296, 4294967296)", many);
  refused("(1, 1, 1, 1, 1, 1, 1, 1, 1)", "more than 8 axes");
}

BOOST_AUTO_TEST_CASE(invalid_headers_are_refused) {
  expect_no_header("", 0 + 1);
  expect_no_header("{}", 3);
  expect_no_header("{'descr': '<f4', 'fortran_order': False, }", 43);
  expect_no_header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 25);
  expect_no_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }", 34);
  expect_no_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", 51);
  expect_no_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }", 52);
  expect_no_header("{'descr': '<f4', 'fortran_order': False, 'shape': [2], }", 50);
  expect_no_header("{'descr': '<f4, 'fortran_order': False, 'shape': (2,), }", 17);
  expect_no_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } + 1", 58);
  expect_no_header("{'x': 3}", 5);
}

BOOST_AUTO_TEST_CASE(files_are_named) {
  const Scratch scratch;
  const std::string path = scratch.file("x.npy");
  save_npy(path, tensor({1, 2}, DType::f32));
  expect_equal(load_npy(path), tensor({1, 2}, DType::f32));
  scratch.write("x.npy", "x");
  EXPECT_ERROR(FileError, load_npy(path),
               path + ": not a NumPy array file: doesn't begin with \\x93NUMPY");
  EXPECT_ERROR(SystemError, load_npy(scratch.file("none")),
               scratch.file("none") + ": No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead
