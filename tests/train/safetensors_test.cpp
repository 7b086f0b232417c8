#include "../../train/safetensors/safetensors.hpp"
#include "../../core/ops.hpp"
#include "../../train/files/files.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace tapehead {
BOOST_AUTO_TEST_SUITE(safetensors)

namespace {

using namespace std::string_literals;

/// Returns a file with this header and data, and the correct length.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}
std::string header_of(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return bytes.substr(8, length);
}

/// Returns a file with all cases: every type, a scalar, an empty tensor, several axes, non-finite
/// values.
Safetensors varied() {
  Safetensors contents;
  contents.metadata = {{"step", "12"}, {"quote \" and \n", "grün"}};
  contents.tensors = {
      {"weight", tensor({1, -2.5, infinity, -infinity, 0, NAN}, {2, 3}, DType::f32)},
      {"scalar", scalar(0.1, DType::f64)},
      {"ids", tensor({7, -1, 2147483647}, DType::i32)},
      {"nothing", zeros({3, 0, 2}, DType::f64)},
      {"deep", full({1, 1, 2, 1, 1, 1, 1, 1}, 3, DType::f32)},
      {"blocks.0.\xc3\xbc", scalar(2)},
      {"", scalar(-0.0, DType::f32)},
  };
  return contents;
}

bool is_same(const Tensor& x, const Tensor& y) {
  if (x.shape() != y.shape() || x.dtype() != y.dtype()) return false;
  return dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return std::memcmp(x.data<T>(), y.data<T>(),
                       static_cast<std::size_t>(x.size()) * sizeof zero) == 0;
  });
}

void expect_file_refused(const std::string& bytes, const std::string& reason) {
  EXPECT_ERROR(FileError, decode_safetensors(bytes, "m.safetensors"), "m.safetensors: " + reason);
}

/// Expects a one-line FileError, or contents that can be written again.
void expect_survived(const std::string& bytes) {
  try {
    const Safetensors contents = decode_safetensors(bytes, "m");
    const Safetensors again = decode_safetensors(encode_safetensors(contents), "m");
    BOOST_TEST_REQUIRE(again.tensors.size() == contents.tensors.size());
    for (const auto& [name, x] : contents.tensors)
      BOOST_TEST_REQUIRE(is_same(x, again.tensors.at(name)));
  } catch (const FileError& error) {
    BOOST_TEST_REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
  }
}

// Computed bit by bit from the definition (ITU-T V.42, 8.1.1.6.2, as in zlib).
std::string crc32_of(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return fmt::format("{:08x}", ~crc);
}

}  // namespace

BOOST_AUTO_TEST_CASE(written_data_is_read_back) {
  const Safetensors contents = varied();
  const Safetensors read = decode_safetensors(encode_safetensors(contents), "m");
  BOOST_TEST((read.metadata == contents.metadata));
  BOOST_TEST_REQUIRE(read.tensors.size() == contents.tensors.size());
  for (const auto& [name, x] : contents.tensors)
    BOOST_TEST(is_same(read.tensors.at(name), x), name);
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_valid) {
  BOOST_TEST(encode_safetensors({}) == file_of("{}      "));
  const Safetensors read = decode_safetensors(file_of("{}"), "m");
  BOOST_TEST(read.tensors.empty());
  BOOST_TEST(read.metadata.empty());
}

BOOST_AUTO_TEST_CASE(bytes_are_those_of_the_format) {
  Safetensors contents;
  contents.metadata = {{"format", "np"}};
  contents.tensors = {{"w", tensor({1, -2}, {1, 2}, DType::f32)}, {"s", scalar(0.5, DType::f64)}};
  const std::string header =
      R"({"__metadata__":{"format":"np"},"s":{"data_offsets":[0,8],"dtype":"F64","shape":[]},)"
      R"("w":{"data_offsets":[8,16],"dtype":"F32","shape":[1,2]}}    )";
  BOOST_TEST(header.size() % 8 == 0U);
  BOOST_TEST((encode_safetensors(contents) ==
              file_of(header, "\0\0\0\0\0\0\xe0\x3f\0\0\x80\x3f\0\0\0\xc0"s)));
}

// Written by the format's Python library, version 0.8.
BOOST_AUTO_TEST_CASE(reads_files_of_other_writers) {
  const std::string bytes = file_of(
      R"({"__metadata__":{"format":"np"},"a.s":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
      R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]},)"
      R"("w":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},)"
      R"("ids":{"dtype":"I32","shape":[2],"data_offsets":[24,32]}}       )",
      "\0\0\0\0\0\0\xe0?\0\0\x80?\0\0\0@\0\0@@\0\0\x80\xc0\x07\0\0\0\xff\xff\xff\xff"s);
  const Safetensors read = decode_safetensors(bytes, "m");
  BOOST_TEST((read.metadata == std::map<std::string, std::string>{{"format", "np"}}));
  BOOST_TEST_REQUIRE(read.tensors.size() == 4U);
  expect_equal(read.tensors.at("a.s"), scalar(0.5, DType::f64));
  expect_equal(read.tensors.at("none"), zeros({0, 3}));
  expect_equal(read.tensors.at("w"), tensor({1, 2, 3, -4}, {2, 2}));
  expect_equal(read.tensors.at("ids"), tensor({7, -1}, DType::i32));
}

BOOST_AUTO_TEST_CASE(every_tensor_is_aligned_to_its_elements) {
  Safetensors contents;
  contents.tensors = {{"a", zeros({3}, DType::f32)}, {"b", zeros({2}, DType::f64)}};
  for (int length = 0; length < 9; ++length) {
    contents.metadata["length"] = std::string(length, 'x');
    const std::string bytes = encode_safetensors(contents);
    BOOST_TEST(header_of(bytes).size() % 8 == 0U);
    BOOST_TEST(header_of(bytes).find(R"("b":{"data_offsets":[0,16])") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(equal_contents_give_equal_bytes) {
  const std::string bytes = encode_safetensors(varied());
  BOOST_TEST((encode_safetensors(varied()) == bytes));
  BOOST_TEST((encode_safetensors(decode_safetensors(bytes, "m")) == bytes));
}

BOOST_AUTO_TEST_CASE(a_checksum_covers_everything_else) {
  BOOST_TEST(crc32_of("123456789") == "cbf43926");  // the usual example
  const auto header = [](const std::string& step, const std::string& shape,
                         const std::string& sum) {
    return R"({"__metadata__":{"step":")" + step + '"' +
           (sum.empty() ? "" : R"(,"tapehead_crc32":")" + sum + '"') +
           R"(},"s":{"data_offsets":[0,8],"dtype":"F64","shape":[]},)" +
           R"("w":{"data_offsets":[8,16],"dtype":"F32","shape":)" + shape + "}}";
  };
  const std::string data = "\0\0\0\0\0\0\xe0\x3f\0\0\x80\x3f\0\0\0\xc0"s;
  const std::string sum = crc32_of(header("1", "[1,2]", "") + data);

  Safetensors contents;
  contents.metadata = {{"step", "1"}, {"tapehead_crc32", "whatever it was"}};
  contents.tensors = {{"w", tensor({1, -2}, {1, 2}, DType::f32)}, {"s", scalar(0.5, DType::f64)}};
  const std::string bytes = encode_safetensors(contents);
  BOOST_TEST(header_of(bytes).find(header("1", "[1,2]", sum)) == 0U);
  BOOST_TEST(decode_safetensors(bytes, "m").metadata.at("tapehead_crc32") == sum);
  // the same header in any order and with any spaces
  const std::string spaced = R"({ "w":{"shape":[1, 2],"dtype":"F32","data_offsets":[8,16]},)"
                             R"("s":{"data_offsets":[0,8],"shape":[],"dtype":"F64"},)"
                             R"( "__metadata__":{"tapehead_crc32":")" +
                             sum + R"(","step":"1"}})";
  BOOST_TEST(decode_safetensors(file_of(spaced, data), "m").metadata.at("step") == "1");

  const auto refused = [](const std::string& text, const std::string& values,
                          const std::string& says, const std::string& gives) {
    expect_file_refused(
        file_of(text, values),
        fmt::format(R"(damaged: the checksum is "{}", but the contents give "{}")", says, gives));
  };
  refused(header("3", "[1,2]", sum), data, sum, crc32_of(header("3", "[1,2]", "") + data));
  refused(header("1", "[2,1]", sum), data, sum, crc32_of(header("1", "[2,1]", "") + data));
  refused(header("1", "[1,2]", "12345678"), data, "12345678", sum);
  std::string flipped = data;
  flipped.back() ^= 1;
  refused(header("1", "[1,2]", sum), flipped, sum, crc32_of(header("1", "[1,2]", "") + flipped));
}

BOOST_AUTO_TEST_CASE(every_type_has_a_checksum) {
  Safetensors contents = varied();
  contents.metadata["tapehead_crc32"] = "";
  std::string bytes = encode_safetensors(contents);
  BOOST_TEST(is_same(decode_safetensors(bytes, "m").tensors.at("ids"), contents.tensors["ids"]));
  const auto at = bytes.find("\xff\xff\xff\x7f");  // 2147483647, the last id
  BOOST_TEST_REQUIRE(at != std::string::npos);
  bytes[at] = '\0';
  BOOST_CHECK_THROW(decode_safetensors(bytes, "m"), FileError);
}

BOOST_AUTO_TEST_CASE(a_truncated_file_is_refused) {
  const std::string path =
      "/sys/devices/system/cpu/kernel_max";  // reports a page size but has one number
  if (!exists(path)) return;                 // as in a chroot without /sys
  EXPECT_ERROR(FileError, read_safetensors(path),
               path + ": the file was truncated while being read");
}

BOOST_AUTO_TEST_CASE(invalid_names_and_tensors_are_refused) {
  const auto encode = [](const std::string& name, const Tensor& x) {
    return [=] { encode_safetensors({{}, {{name, x}}}); };
  };
  expect_error<ValueError>(encode("__metadata__", scalar(1)),
                           "safetensors: \"__metadata__\" is not allowed as a tensor name");
  expect_error<ValueError>(encode("w", {}), "safetensors: \"w\" is an empty tensor");
  expect_error<ValueError>(encode("\xff", scalar(1)),
                           "safetensors: a name or a string of the metadata is not UTF-8");
}

BOOST_AUTO_TEST_CASE(a_wrong_length_of_the_header_is_refused) {
  expect_file_refused("", "0 bytes, expected at least 8 for the length of the header");
  expect_file_refused("\2\0\0\0\0\0\0"s,
                      "7 bytes, expected at least 8 for the length of the header");
  expect_file_refused("\3\0\0\0\0\0\0\0{}"s,
                      "header of 3 bytes, but after its length field the file has only 2 bytes");
  expect_file_refused("\xff\xff\xff\xff\xff\xff\xff\xff{}"s,
                      "header of 18446744073709551615 bytes, expected at most 100000000");
  expect_file_refused("\x01\xe1\xf5\x05\0\0\0\0{}"s,
                      "header of 100000001 bytes, expected at most 100000000");
}

BOOST_AUTO_TEST_CASE(a_header_that_is_not_json_is_refused) {
  expect_file_refused(file_of(""), "the header doesn't begin with '{'");
  expect_file_refused(file_of(" {}"), "the header doesn't begin with '{'");
  expect_file_refused(file_of("[]"), "the header doesn't begin with '{'");
  expect_file_refused(file_of("\xef\xbb\xbf{}"), "the header doesn't begin with '{'");
  expect_file_refused(file_of("{}\0\0"s), "the header has a zero byte");
  expect_file_refused(file_of("{"), "the header is not JSON: error at byte 2");
  expect_file_refused(file_of("{} x"), "the header is not JSON: error at byte 4");
  expect_file_refused(file_of("{}{}"), "the header is not JSON: error at byte 3");
  expect_file_refused(file_of("{/**/}"), "the header is not JSON: error at byte 2");
  expect_file_refused(file_of("{\"\xff\":1}"), "the header is not JSON: error at byte 3");
  expect_file_refused(file_of(R"({"\ud800":1})"), "the header is not JSON: error at byte 9");
  expect_file_refused(file_of(R"({"a":1e999})"), "the header is not JSON: a number is too large");
}

BOOST_AUTO_TEST_CASE(two_equal_keys_are_refused) {
  const std::string w = R"("w":{"dtype":"F32","shape":[],"data_offsets":[0,4]})";
  expect_file_refused(file_of("{" + w + "," + w + "}", "1234"), "\"w\" is in the header twice");
  expect_file_refused(file_of(R"({"w":1,"\u0077":2})"), "\"w\" is in the header twice");
  expect_file_refused(file_of(R"({"__metadata__":{"a":"1","a":"1"}})"),
                      "\"a\" is in the header twice");
  expect_file_refused(
      file_of(R"({"w":{"dtype":"F32","dtype":"F64","shape":[],"data_offsets":[0,4]}})"),
      "\"dtype\" is in the header twice");
}

BOOST_AUTO_TEST_CASE(depth_is_refused) {
  expect_file_refused(file_of(R"({"w":{"shape":[[1]]}})"), "the header is nested too deeply");
  expect_file_refused(file_of(R"({"w":{"x":{"y":{}}}})"), "the header is nested too deeply");
  std::string deep = R"({"w":)";
  deep.append(1'000'000, '[');
  expect_file_refused(file_of(deep), "the header is nested too deeply");
}

BOOST_AUTO_TEST_CASE(metadata_that_is_not_strings_is_refused) {
  expect_file_refused(file_of(R"({"__metadata__":[]})"), "__metadata__ is not an object");
  expect_file_refused(file_of(R"({"__metadata__":null})"), "__metadata__ is not an object");
  expect_file_refused(file_of(R"({"__metadata__":{"step":3}})"),
                      "\"step\" of __metadata__ is not a string");
}

BOOST_AUTO_TEST_CASE(an_invalid_tensor_entry_is_refused) {
  struct Case {
    const char *tensor, *reason;
  };
  for (
      const Case& c : {
          Case{R"(1)", R"("w" is not an object)"},
          Case{R"([])", R"("w" is not an object)"},
          Case{R"({"shape":[1],"data_offsets":[0,4]})", R"("w" has no dtype)"},
          Case{R"({"dtype":3,"shape":[1],"data_offsets":[0,4]})", R"("w" has no dtype)"},
          Case{R"({"dtype":"F32","data_offsets":[0,4]})", R"("w" has no shape)"},
          Case{R"({"dtype":"F32","shape":1,"data_offsets":[0,4]})", R"("w" has no shape)"},
          Case{R"({"dtype":"F32","shape":[1]})", R"("w" has no data_offsets)"},
          Case{R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"strides":[1]})",
               R"("w" has an unknown "strides")"},
          Case{R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})",
               R"("w" has a shape that is not a list of non-negative integers)"},
          Case{R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})",
               R"("w" has a shape that is not a list of non-negative integers)"},
          Case{R"({"dtype":"F32","shape":["1"],"data_offsets":[0,4]})",
               R"("w" has a shape that is not a list of non-negative integers)"},
          Case{R"({"dtype":"F32","shape":[1],"data_offsets":[0,99999999999999999999]})",
               R"("w" has a data_offsets that is not a list of non-negative integers)"},
          Case{R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,8]})",
               R"("w" has 3 data_offsets, expected 2 (begin and end))"},
          Case{R"({"dtype":"F32","shape":[1],"data_offsets":[]})",
               R"("w" has 0 data_offsets, expected 2 (begin and end))"},
          Case{R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]})",
               R"("w" has 9 axes, expected at most 8)"},
          Case{R"({"dtype":"F32","shape":[4294967296,536870912],"data_offsets":[0,4]})",
               R"("w" has a shape with too many elements)"},  // 2^63 bytes
          Case{R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]})",
               R"("w" has a shape with too many elements)"},
          Case{R"({"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]})",
               R"("w" has a shape with too many elements)"},
          Case{R"({"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]})",
               R"("w" has a shape with too many elements)"},
          Case{R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]})",
               R"("w" has a shape with too many elements)"},
          Case{R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})",
               R"("w" ends at 0, before it begins at 4)"},
          Case{R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})",
               R"("w" takes 8 bytes as F32 (2), but its data_offsets span 4)"},
          Case{R"({"dtype":"F32","shape":[0],"data_offsets":[0,4]})",
               R"("w" takes 0 bytes as F32 (0), but its data_offsets span 4)"},
          Case{R"({"dtype":"F64","shape":[],"data_offsets":[0,4]})",
               R"("w" takes 8 bytes as F64 (), but its data_offsets span 4)"},
          Case{R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})",
               R"("w" begins at offset 4, but the data before it ends at 0)"},
          Case{
              R"({"dtype":"F32","shape":[1],"data_offsets":[18446744073709551608,18446744073709551612]})",
              R"("w" begins at offset 18446744073709551608, but the data before it ends at 0)"},
      })
    expect_file_refused(file_of("{\"w\":"s + c.tensor + "}", "1234"), c.reason);
}

BOOST_AUTO_TEST_CASE(data_must_be_covered_once) {
  const auto two = [](const char* a, const char* b, const std::string& data) {
    return file_of(fmt::format(R"({{"a":{{"dtype":"F32","shape":[1],"data_offsets":{}}},)"
                               R"("b":{{"dtype":"F32","shape":[1],"data_offsets":{}}}}})",
                               a, b),
                   data);
  };
  expect_file_refused(two("[0,4]", "[8,12]", "123456789012"),
                      "\"b\" begins at offset 8, but the data before it ends at 4");
  expect_file_refused(two("[0,4]", "[2,6]", "123456"),
                      "\"b\" begins at offset 2, but the data before it ends at 4");
  expect_file_refused(two("[0,4]", "[0,4]", "1234"),
                      "\"b\" begins at offset 0, but the data before it ends at 4");
  expect_file_refused(two("[0,4]", "[4,8]", "1234567"),
                      "the tensors take 8 bytes, but the file has 7");
  expect_file_refused(two("[0,4]", "[4,8]", "123456789"),
                      "the tensors take 8 bytes, but the file has 9");
  expect_file_refused(file_of("{}", "1"), "the tensors take 0 bytes, but the file has 1");
  // sorted by offset
  BOOST_TEST(
      decode_safetensors(two("[4,8]", "[0,4]", "\0\0\0\0\0\0\x80?"s), "m").tensors.at("a").item() ==
      1);
}

BOOST_AUTO_TEST_CASE(tensors_have_no_gaps_or_overlaps) {
  const std::string bytes = file_of(R"({"c":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
                                    R"("b":{"dtype":"F64","shape":[0],"data_offsets":[4,4]},)"
                                    R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                                    "12345678");
  BOOST_TEST(decode_safetensors(bytes, "m").tensors.size() == 3U);
}

BOOST_AUTO_TEST_CASE(other_types_are_refused_by_name) {
  const auto typed = [](const std::string& type, std::size_t bytes) {
    return file_of(
        fmt::format(R"({{"w":{{"dtype":"{}","shape":[],"data_offsets":[0,{}]}}}})", type, bytes),
        std::string(bytes, '1'));
  };
  const std::pair<const char*, std::size_t> types[] = {{"I64", 8},  {"U16", 2},     {"U8", 1},
                                                       {"BOOL", 1}, {"F8_E4M3", 1}, {"F4", 1}};
  for (const auto& [type, bytes] : types)
    expect_file_refused(typed(type, bytes),
                        "\"w\" has type "s + type + ", expected F32, F64, I32, F16 or BF16");
  expect_file_refused(typed("U16", 4),
                      R"("w" takes 2 bytes as U16 (), but its data_offsets span 4)");
  expect_file_refused(typed("f32", 4), R"("w" has the unknown type "f32")");
}

// IEEE 754 values of each kind, and the smallest and largest of each.
BOOST_AUTO_TEST_CASE(narrow_floats_are_widened) {
  const auto halves = [](const char* type, const std::vector<std::uint16_t>& bits) {
    return decode_safetensors(
               file_of(fmt::format(R"({{"w":{{"dtype":"{}","shape":[{}],"data_offsets":[0,{}]}}}})",
                                   type, bits.size(), 2 * bits.size()),
                       std::string(reinterpret_cast<const char*>(bits.data()), 2 * bits.size())),
               "m")
        .tensors.at("w");
  };
  expect_equal(halves("F16", {0x3c00, 0xc000, 0x3555, 0x7bff, 0x0400, 0x0001, 0x83ff, 0x7c00}),
               tensor({1, -2, 0x1.554p-2, 65504, 0x1p-14, 0x1p-24, -0x1.ff8p-15, infinity}));
  expect_equal(halves("BF16", {0x3f80, 0xc000, 0x7f7f, 0x0001, 0xff80}),
               tensor({1, -2, 0x1.fep127, 0x1p-133, -infinity}));
  BOOST_TEST(std::signbit(halves("F16", {0x8000})(0)));
  BOOST_TEST(std::isnan(halves("F16", {0x7e00})(0)));
  BOOST_TEST(std::isnan(halves("BF16", {0x7fc0})(0)));
  BOOST_TEST(halves("F16", {}).size() == 0);

  const Tensor many = halves("BF16", std::vector<std::uint16_t>((1 << 20) + 7, 0x4040));
  BOOST_TEST(many.size() == (1 << 20) + 7);
  for (const Index i : {Index{0}, Index{1 << 19}, many.size() - 1}) BOOST_TEST(many(i) == 3);
}

BOOST_AUTO_TEST_CASE(names_in_messages_are_escaped) {
  expect_file_refused(file_of(R"({"a\n\u001b[31m":1})"), R"("a\n\u001b[31m" is not an object)");
  expect_file_refused(file_of("{\"" + std::string(1000, 'x') + "\":1}"),
                      "\"" + std::string(100, 'x') + "\" is not an object");
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  const std::string bytes = encode_safetensors(varied());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    BOOST_CHECK_THROW(decode_safetensors(bytes.substr(0, n), "m"), FileError);
  BOOST_CHECK_THROW(decode_safetensors(bytes + '\0', "m"), FileError);
}

BOOST_AUTO_TEST_CASE(flipped_bytes_never_crash) {
  const std::string bytes = encode_safetensors(varied());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] ^= 1 << bit;
      expect_survived(damaged);
    }
  }
  // the header with several mutations at once, of JSON fragments
  const std::size_t header = header_of(bytes).size();
  const std::string alphabet = "{}[]\",:0123456789-.eE+ \\untrlsaF\xc3\xff\0"s;
  Random random({7, Draw::test});
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.below(static_cast<Index>(n)));
  };
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = bytes;
    for (std::size_t n = 1 + below(4); n > 0; --n)
      damaged[8 + below(header)] = alphabet[below(alphabet.size())];
    expect_survived(damaged);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead
