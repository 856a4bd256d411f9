#include "device/array.hpp"
#include "device/error.hpp"
#include "device/host_view.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

TEST(Array, ComesBackAsItWent) {
  for (const char* name : {"cpu", "fake"}) {
    const Device device = Device::named(name);
    const std::vector<std::int32_t> values{3, 1, 4, 1, 5};
    Array<std::int32_t> a(device, values, "test"), b(device, 5, "test");
    EXPECT_EQ(a.host(), values);
    b.copy_from(a);
    EXPECT_EQ(b.host(), values);
    b.fill_zero();
    EXPECT_EQ(b.host(), std::vector<std::int32_t>(5, 0));
    EXPECT_EQ(a.bytes(), 20);
  }
}

TEST(Array, MovesItsMemoryAndReleasesItOnce) {
  const Device device = Device::named("cpu");
  {
    Vector a(device, 1000, "test");
    const double* data = a.data();
    Vector b(std::move(a));
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(a.size(), 0);
    Vector c(device, 10, "test");
    c = std::move(b);
    EXPECT_EQ(c.data(), data);
  }
  EXPECT_EQ(device.memory().statistics().live, 0);
}

TEST(Array, EmptyArraysTakeNoMemory) {
  const Device device = Device::named("cpu");
  Vector a(device, 0, "test");
  EXPECT_TRUE(a.empty());
  EXPECT_TRUE(a.host().empty());
  a.fill_zero();
  EXPECT_EQ(device.memory().statistics().raw_allocations, 0);
}

TEST(Array, WrongSizesAreRejected) {
  const Device device = Device::named("cpu");
  Vector a(device, 3, "test");
  EXPECT_THROW(a.upload(std::vector<double>(4)), Error);
  std::vector<double> two(2);
  EXPECT_THROW(a.download(two), Error);
  EXPECT_THROW(a.copy_from(Vector(device, 4, "test")), Error);
}

TEST(Array, OutlivesTheHandleOfItsDevice) {
  Vector a;
  {
    const Device device = Device::named("fake");
    a = Vector(device, std::vector<double>{1, 2}, "test");
  }
  EXPECT_EQ(a.host(), (std::vector<double>{1, 2}));
}

// The host cannot read where the device keeps it: a view is a copy there, and the array itself on a CPU.
TEST(HostView, HoldsTheNumbersOfAnyDevice) {
  for (const char* name : {"cpu", "fake"}) {
    const Device device = Device::named(name);
    const Array<double> array(device, std::vector<double>{3, 1, 4}, "test");
    const HostView<double> view(array);
    EXPECT_EQ(std::vector<double>(view.span().begin(), view.span().end()), (std::vector<double>{3, 1, 4}));
    EXPECT_EQ(view.span().data() == array.data(), std::string(name) == "cpu");
    EXPECT_TRUE(HostView<double>(Array<double>()).span().empty());
  }
}

}  // namespace
}  // namespace ritz
