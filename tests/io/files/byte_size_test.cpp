#include "io/files/byte_size.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

TEST(ByteSize, ReadsWhatPeopleWrite) {
  EXPECT_EQ(byte_size("6G"), 6'000'000'000);
  EXPECT_EQ(byte_size("6GB"), 6'000'000'000);
  EXPECT_EQ(byte_size("6 gb"), 6'000'000'000);
  EXPECT_EQ(byte_size("6GiB"), 6LL << 30);
  EXPECT_EQ(byte_size("6gi"), 6LL << 30);
  EXPECT_EQ(byte_size("1.5M"), 1'500'000);
  EXPECT_EQ(byte_size("512KiB"), 512 * 1024);
  EXPECT_EQ(byte_size("2T"), 2'000'000'000'000);
  EXPECT_EQ(byte_size("4096"), 4096);
  EXPECT_EQ(byte_size("12B"), 12);
  EXPECT_EQ(byte_size("1e9"), 1'000'000'000);
}

TEST(ByteSize, RefusesAllElse) {
  for (const char* text : {"", "G", "6X", "6GG", "-1", "6GiBx", "nan", "inf", "1e30", "6G7", "six"})
    EXPECT_FALSE(byte_size(text)) << text;
}

TEST(ByteSize, WritesThreeDigits) {
  EXPECT_EQ(text_of_bytes(0), "0 B");
  EXPECT_EQ(text_of_bytes(999), "999 B");
  EXPECT_EQ(text_of_bytes(1000), "1.00 kB");
  EXPECT_EQ(text_of_bytes(12'345'678), "12.3 MB");
  EXPECT_EQ(text_of_bytes(999'600), "1.00 MB");
  EXPECT_EQ(text_of_bytes(141'000'000'000), "141 GB");
}

}  // namespace
}  // namespace ritz
