// The interpreter computes what a GPU's manual says: kernels of kernels.cu as nvcc compiles them, compared bit by bit
// with the CPU, and instructions that are written out here.
#include "tests/ptx/kernel_call.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <climits>
#include <cmath>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <random>

namespace ritz::ptx {
namespace {

std::string text_of_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Module& kernels() {
  static Module module(text_of_file(RITZ_TEST_PTX), "kernels.ptx");
  return module;
}

template <class T>
T bits_as(auto bits) {
  return std::bit_cast<T>(bits);
}

// Numbers of all sizes, with zeros, infinities, subnormals and not-a-numbers among them.
std::vector<double> doubles(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x(n);
  for (std::size_t k = 0; k < n; ++k) {
    const int exponent = static_cast<int>(random() % 40) - 20;
    x[k] = std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, exponent) * (random() % 2 == 0 ? 1 : -1);
  }
  x[1] = 0.0;
  x[2] = -0.0;
  x[3] = 1e300;
  x[4] = 5e-324;
  x[5] = std::numeric_limits<double>::infinity();
  x[6] = 0.5;
  x[7] = 2.5;
  x[8] = -std::numeric_limits<double>::infinity();
  std::rotate(x.begin(), x.begin() + seed % 5, x.end());
  return x;
}

template <class T>
bool same_bits(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T>
void expect_same(const std::vector<T>& computed, std::size_t first, const std::vector<T>& wanted, const char* what) {
  for (std::size_t k = 0; k < wanted.size(); ++k)
    EXPECT_TRUE(same_bits(computed[first + k], wanted[k]))
        << what << " of entry " << k << ": " << computed[first + k] << ", not " << wanted[k];
}
template <class T, class F>
std::vector<T> of_each(std::size_t n, const F& f) {
  std::vector<T> r(n);
  for (std::size_t k = 0; k < n; ++k) r[k] = f(k);
  return r;
}

// f(x, y) rounded as the mode says; the compiler must not compute it in its own.
template <class T, class F>
T rounded(int mode, T x, T y, const F& f) {
  volatile T a = x, b = y;
  std::fesetround(mode);
  volatile T r = f(T{a}, T{b});
  std::fesetround(FE_TONEAREST);
  return r;
}

TEST(Ptx, ProductsAndSumsAreFused) {
  const std::vector<double> a = doubles(256, 1), b = doubles(256, 2), c = doubles(256, 3);
  std::vector<double> r(256);
  call(kernels(), "products_and_sums", {{4}, {64}}, a.data(), b.data(), c.data(), r.data());
  expect_same(r, 0, of_each<double>(256, [&](std::size_t k) { return std::fma(a[k], b[k], c[k]); }), "a b + c");
}

TEST(Ptx, FunctionsOfDoublesAreRoundedAsIeeeSays) {
  constexpr std::size_t n = 256;
  const std::vector<double> a = doubles(n, 4), b = doubles(n, 6);
  std::vector<double> r(10 * n);
  call(kernels(), "functions_of_doubles", {{1}, {n}}, a.data(), b.data(), r.data(), int{n});
  const auto expect = [&](std::size_t which, const char* what, const auto& f) {
    expect_same(r, which * n, of_each<double>(n, [&](std::size_t k) { return f(a[k], b[k]); }), what);
  };
  expect(0, "a / b", [](double x, double y) { return x / y; });
  expect(1, "sqrt", [](double x, double) { return std::sqrt(x); });
  expect(2, "1 / b", [](double, double y) { return 1 / y; });
  expect(3, "min", [](double x, double y) { return x == y ? (std::signbit(x) ? x : y) : std::fmin(x, y); });
  expect(4, "max", [](double x, double y) { return x == y ? (std::signbit(x) ? y : x) : std::fmax(x, y); });
  expect(5, "integers", [](double x, double y) { return std::rint(x) + std::floor(y) + std::ceil(x) + std::trunc(y); });
  expect(6, "sum toward zero", [](double x, double y) { return rounded(FE_TOWARDZERO, x, y, std::plus<>()); });
  expect(7, "product up", [](double x, double y) { return rounded(FE_UPWARD, x, y, std::multiplies<>()); });
  expect(8, "fma down", [](double x, double y) {
    return rounded(FE_DOWNWARD, x, y, [](double p, double q) { return std::fma(p, q, p); });
  });
  expect(9, "sign", [](double x, double y) { return std::copysign(x, y) + std::fabs(y); });
}

TEST(Ptx, FunctionsOfFloatsAreRoundedAsIeeeSays) {
  constexpr std::size_t n = 256;
  const std::vector<double> x = doubles(n, 7), y = doubles(n, 9);
  std::vector<float> a(x.begin(), x.end()), b(y.begin(), y.end()), r(8 * n);
  a[9] = 1e-40f;
  call(kernels(), "functions_of_floats", {{1}, {n}}, a.data(), b.data(), r.data(), int{n});
  const auto expect = [&](std::size_t which, const char* what, const auto& f) {
    expect_same(r, which * n, of_each<float>(n, [&](std::size_t k) { return static_cast<float>(f(a[k], b[k])); }),
                what);
  };
  expect(0, "a / b", [](float p, float q) { return p / q; });
  expect(1, "sqrt", [](float p, float) { return std::sqrt(p); });
  expect(2, "a b + a", [](float p, float q) { return std::fma(p, q, p); });
  expect(3, "min", [](float p, float q) { return p == q ? (std::signbit(p) ? p : q) : std::fmin(p, q); });
  expect(4, "saturated", [](float p, float) { return p > 0 ? std::min(p, 1.0f) : 0.0f; });
  expect(5, "bfloat16", [](float p, float) {
    if (!std::isfinite(p)) return p;
    const auto bits = bits_as<std::uint32_t>(p);
    return bits_as<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
  });
  expect(7, "quotient down", [](float p, float q) { return rounded(FE_DOWNWARD, p, q, std::divides<>()); });
  for (std::size_t k = 0; k < n; ++k) {
    const float half = r[6 * n + k];
    const bool is_normal = std::fabs(b[k]) < 60000 && std::fabs(b[k]) > 1e-4;
    EXPECT_TRUE(!is_normal || std::fabs(half - b[k]) <= std::fabs(b[k]) * 0x1p-11f) << b[k] << ' ' << half;
  }
}

std::vector<int> random_integers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> x(n);
  for (int& v : x) v = static_cast<int>(random()) >> random() % 31;
  return x;
}

TEST(Ptx, IntegersAreThoseOfC) {
  constexpr std::size_t n = 128;
  std::vector<int> a = random_integers(n, 1), b = random_integers(n, 2), r(10 * n);
  for (int& v : b) v = v == 0 || v == -1 ? 3 : v;
  call(kernels(), "integers", {{1}, {n}}, a.data(), b.data(), r.data(), int{n});
  const auto expect = [&](std::size_t which, const char* what, const auto& f) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto i = static_cast<unsigned>(k);
      EXPECT_EQ(static_cast<unsigned>(r[which * n + k]), static_cast<unsigned>(f(a[k], b[k], i)))
          << what << ' ' << k << ' ' << a[k] << ' ' << b[k];
    }
  };
  using u32 = unsigned;
  using u64 = unsigned long long;
  expect(0, "/", [](int x, int y, u32) { return x / y; });
  expect(1, "%", [](int x, int y, u32) { return x % y; });
  expect(2, "unsigned", [](u32 x, u32 y, u32) { return x / y + x % y; });
  expect(3, "high", [](int x, int y, u32) {
    return static_cast<u32>(static_cast<long long>(x) * y >> 32) +
           static_cast<u32>(u64{static_cast<u32>(x)} * static_cast<u32>(y) >> 32);
  });
  expect(4, "bits", [](u32 x, u32 y, u32) {
    return std::popcount(x) + 100 * std::countl_zero(y) + 10000 * (x == 0 ? 0 : std::countr_zero(x) + 1);
  });
  expect(5, "permuted", [](u32 x, u32 y, u32) {
    u32 reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (x >> k & 1) << (31 - k);
    const u64 bytes = u64{y} << 32 | x;
    const auto byte = [&](int which) { return static_cast<u32>(bytes >> (8 * which) & 255); };
    return reversed ^ (byte(5) | byte(3) << 8 | byte(1) << 16 | byte(6) << 24);
  });
  expect(6, "funnel", [](u32 x, u32 y, u32) { return static_cast<u32>((u64{y} << 32 | x) << 7 >> 32) ^ y; });
  expect(7, "shifts", [](int x, int, u32 i) {
    return static_cast<u32>(x >> (i & 31)) ^ static_cast<u32>(x) << (i & 31) ^ static_cast<u32>(x) >> 3;
  });
  expect(8, "extremes", [](int x, int y, u32) {
    return static_cast<u32>(std::min(x, y)) ^ std::max(static_cast<u32>(x), static_cast<u32>(y)) ^
           (x < 0 ? 0u - static_cast<u32>(x) : static_cast<u32>(x));
  });
  expect(9, "dot", [](u32 x, u32 y, u32) {
    int sum = 5;
    for (int k = 0; k < 32; k += 8) sum += static_cast<signed char>(x >> k) * static_cast<signed char>(y >> k);
    return sum;
  });
}

TEST(Ptx, LongIntegersAreThoseOfC) {
  constexpr std::size_t n = 64;
  std::mt19937_64 random(5);
  std::vector<long long> a(n), b(n), r(7 * n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = static_cast<long long>(random()) >> random() % 60;
    b[k] = static_cast<long long>(random()) >> random() % 60;
    if (b[k] == 0 || b[k] == -1) b[k] = 12345;
  }
  call(kernels(), "long_integers", {{1}, {n}}, a.data(), b.data(), r.data(), int{n});
  for (std::size_t k = 0; k < n; ++k) {
    using u64 = unsigned long long;
    const long long x = a[k], y = b[k];
    const auto u = static_cast<u64>(x), v = static_cast<u64>(y);
    EXPECT_EQ(r[k], x / y);
    EXPECT_EQ(r[n + k], x % y);
    EXPECT_EQ(static_cast<u64>(r[2 * n + k]), u / v + u % v);
    EXPECT_EQ(static_cast<u64>(r[3 * n + k]), static_cast<u64>(static_cast<__int128>(x) * y >> 64) ^
                                                  static_cast<u64>(static_cast<unsigned __int128>(u) * v >> 64));
    EXPECT_EQ(static_cast<u64>(r[4 * n + k]), u * v + k);
    EXPECT_EQ(static_cast<u64>(r[5 * n + k]), static_cast<u64>(x >> (k & 63)) ^ u << (k & 63));
    EXPECT_EQ(r[6 * n + k], std::popcount(u) + 100 * std::countl_zero(v));
  }
}

TEST(Ptx, ConversionsEndAtTheLimitsOfTheirType) {
  constexpr std::size_t n = 64;
  std::vector<double> a = doubles(n, 11);
  a[10] = 3e9;
  a[11] = -3e9;
  a[12] = 1e19;
  a[13] = std::nan("");
  a[14] = 2.5;
  a[15] = -3.5;
  std::vector<long long> r(9 * n);
  call(kernels(), "conversions", {{1}, {n}}, a.data(), r.data(), int{n});
  const auto limited = [](double x, double low, double high) { return x != x ? low : std::clamp(x, low, high); };
  for (std::size_t k = 0; k < n; ++k) {
    const double x = a[k];
    EXPECT_EQ(r[k], static_cast<long long>(std::trunc(limited(x, INT_MIN, INT_MAX)))) << x;
    if (x != x) continue;
    EXPECT_EQ(r[n + k], static_cast<long long>(std::trunc(limited(x, 0, UINT_MAX)))) << x;
    const long long whole = x >= 0x1p63 ? LLONG_MAX : x < -0x1p63 ? LLONG_MIN : static_cast<long long>(x);
    EXPECT_EQ(r[2 * n + k], whole) << x;
    EXPECT_EQ(r[3 * n + k], static_cast<long long>(std::nearbyint(limited(x, INT_MIN, INT_MAX)))) << x;
    EXPECT_EQ(static_cast<int>(r[4 * n + k]), bits_as<int>(static_cast<float>(x))) << x;
    const int i = static_cast<int>(r[k]);
    EXPECT_EQ(r[5 * n + k], static_cast<short>(i) + static_cast<unsigned char>(i)) << x;
    EXPECT_EQ(r[6 * n + k], bits_as<long long>(static_cast<double>(whole))) << x;
    EXPECT_EQ(static_cast<int>(r[7 * n + k]), bits_as<int>(static_cast<float>(whole))) << x;
  }
}

TEST(Ptx, DivergedLanesComeTogetherAgain) {
  std::vector<int> steps(64), sums(2);
  call(kernels(), "collatz", {{1}, {64}}, steps.data(), sums.data());
  std::vector<int> wanted(64);
  for (int i = 0; i < 64; ++i)
    for (long n = i + 1; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) ++wanted[static_cast<std::size_t>(i)];
  EXPECT_EQ(steps, wanted);
  EXPECT_EQ(sums[0], std::accumulate(wanted.begin(), wanted.begin() + 32, 0));
  EXPECT_EQ(sums[1], std::accumulate(wanted.begin() + 32, wanted.end(), 0));
}

TEST(Ptx, LanesOfAWarpExchangeValues) {
  std::vector<unsigned> a(32), r(256);
  for (unsigned i = 0; i < 32; ++i) a[i] = (i * 7 + 3) % 41;
  call(kernels(), "of_warp", {{1}, {32}}, a.data(), r.data());
  unsigned odd = 0, sum = 0;
  for (unsigned i = 0; i < 32; ++i) {
    odd |= (a[i] & 1) << i;
    sum += a[i];
  }
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(r[i], a[i < 3 ? i : i - 3]);
    EXPECT_EQ(r[32 + i], a[i ^ 5]);
    EXPECT_EQ(r[64 + i], a[i / 2]);
    EXPECT_EQ(r[96 + i], a[i % 8 < 6 ? i + 2 : i]);
    EXPECT_EQ(r[128 + i], odd);
    EXPECT_EQ(r[160 + i], 1u);
    unsigned same = 0;
    for (unsigned j = 0; j < 32; ++j) same |= static_cast<unsigned>(a[j] % 3 == a[i] % 3) << j;
    EXPECT_EQ(r[192 + i], same);
    EXPECT_EQ(r[224 + i], sum + *std::ranges::max_element(a));
  }
}

TEST(Ptx, SharedMemoryIsReadAfterBarriers) {
  std::vector<double> x(256);
  std::iota(x.begin(), x.end(), 0.0);
  call(kernels(), "reverse_block", {{2}, {128}}, x.data());
  for (std::size_t k = 0; k < 256; ++k) EXPECT_EQ(x[k], static_cast<double>(k / 128 * 128 + 127 - k % 128));
}

TEST(Ptx, AtomicsCountEveryThread) {
  std::vector<int> values(500), counts(18), wanted(16);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<int>(k * k % 97);
  for (const int v : values) ++wanted[static_cast<std::size_t>(v & 15)];
  double total = 0;
  call(kernels(), "histogram", {{1}, {96}, 64}, values.data(), 500, counts.data(), &total);
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), counts.begin()));
  EXPECT_EQ(counts[16], *std::ranges::max_element(values));
  EXPECT_EQ(counts[17], 32);
  EXPECT_EQ(total, std::accumulate(values.begin(), values.end(), 0.0));
}

struct Five {
  double v[5];
  int n;
};

TEST(Ptx, FunctionsAreCalledByNameByAddressAndByThemselves) {
  std::vector<int> r(32);
  std::vector<double> d(64);
  call(kernels(), "calls", {{1}, {32}}, r.data(), d.data(), Five{{1, 2, 3, 4, 5}, 100});
  constexpr int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21}, offsets[] = {5, 7, 11, 13};
  for (int i = 0; i < 32; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(r[k], fibonacci[i % 9] + offsets[i & 3]);
    EXPECT_EQ(d[k], i % 2 == 0 ? (i + 0.5) / 2 : (i + 0.5) * (i + 0.5));
    EXPECT_EQ(d[32 + k], (i % 5 + i) % 5 + 1 + 100 + i);
  }
}

TEST(Ptx, BranchesOfManyWaysTakeEach) {
  std::vector<int> r(64, 0);
  call(kernels(), "many_ways", {{1}, {32}}, r.data());
  for (int i = 0; i < 32; ++i) {
    const int wanted[] = {i * 17 + 1, i ^ 91, std::popcount(static_cast<unsigned>(i)), -i, i, i * i, i << 3, 4711};
    EXPECT_EQ(r[static_cast<std::size_t>(i)], wanted[i % 8]) << i;
    EXPECT_EQ(r[static_cast<std::size_t>(32 + i)], i % 8 == 4 ? 5 : 0) << i;
  }
}

TEST(Ptx, LanesThatWaitForEachOtherGoOn) {
  int mutex = 0, sum = 0, flag = 0, done = 0;
  call(kernels(), "lock", {{1}, {64}}, &mutex, &sum);
  EXPECT_EQ(sum, 63 * 32);
  call(kernels(), "spin", {{1}, {64}}, &flag, &done);
  EXPECT_EQ(done, 1);
}

TEST(Ptx, KernelsPrint) {
  std::string said;
  call(kernels(), "say", {{1}, {32}, 0, nullptr, [&](const std::string& text) { said += text; }}, 3, 2.5);
  EXPECT_EQ(said, "thread 0:  2.50 many 3298534883328%\nthread 1:  2.50 many 3298534883328%\n");
}

struct alignas(16) Double2 {
  double x, y;
};
struct alignas(16) Float4 {
  float x, y, z, w;
};

TEST(Ptx, VectorsAndBytesAreLoadedAndStored) {
  std::vector<Double2> a(32), r(32);
  std::vector<Float4> b(32);
  std::vector<signed char> c(32);
  for (int i = 0; i < 32; ++i) {
    const auto k = static_cast<std::size_t>(i);
    a[k] = {i + 0.5, i * 2.0};
    b[k] = {1.0f * static_cast<float>(i), 2, 3, 4};
    c[k] = static_cast<signed char>(i * 9 - 128);
  }
  const auto before = c;
  call(kernels(), "vectors", {{1}, {32}}, a.data(), b.data(), c.data(), r.data());
  for (int i = 0; i < 32; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(r[k].x, a[k].y + 4);
    EXPECT_EQ(r[k].y, a[k].x + before[k]);
    EXPECT_EQ(b[k].x, 4);
    EXPECT_EQ(b[k].w, static_cast<float>(i));
    EXPECT_EQ(c[k], before[k] / 2);
  }
}

// CUDA's own functions: polynomials, tables, sums with carries for large arguments.
TEST(Ptx, SinesAndExponentialsAreThoseOfTheLibraryToAUnit) {
  std::vector<double> x(32), r(32);
  for (int i = 0; i < 32; ++i) x[static_cast<std::size_t>(i)] = i % 2 == 0 ? i * 0.7 - 10 : i * 1e9;
  for (std::size_t k = 1; k < 32; k += 4) x[k] = static_cast<double>(k) * 11.3;
  x[31] = 700.0;
  std::vector<double> small = x;
  for (double& v : small) v = std::fabs(v) > 1e5 ? v * 1e-5 : v;
  call(kernels(), "sine", {{1}, {32}}, small.data(), r.data());
  for (std::size_t k = 0; k < 32; ++k) {
    const double wanted = std::sin(small[k]) + std::exp(small[k] / 1000);
    EXPECT_NEAR(r[k], wanted, 4e-16 * std::max(1.0, std::fabs(wanted)) * 2) << small[k];
  }
}

TEST(Ptx, BlocksAndThreadsHaveThreeDimensions) {
  std::vector<int> r(6 * 6);
  call(kernels(), "two_dimensions", {{3, 2}, {2, 3}}, r.data());
  for (int k = 0; k < 36; ++k)
    EXPECT_EQ(r[static_cast<std::size_t>(k)], k % 2 + 10 * (k / 2 % 3) + 100 * (k / 6 % 3) + 1000 * (k / 18)) << k;
}

TEST(Ptx, ArraysOfFunctionsInSharedMemoryHavePlacesInTheirKernels) {
  std::vector<double> x(64), y(64);
  std::iota(x.begin(), x.end(), 0.0);
  y = x;
  call(kernels(), "shared_of_both", {{1}, {64}}, x.data());
  call(kernels(), "shared_of_a_function", {{1}, {64}}, y.data());
  for (std::size_t k = 0; k < 64; ++k) {
    EXPECT_EQ(x[k], 2.0 * double(k));
    EXPECT_EQ(y[k], 63.0 - double(k));
  }
}

TEST(Ptx, LanesOfADivergentLoopCallAFunctionTogether) {
  for (const int n : {1, 40, 64, 100, 499}) {
    std::vector<double> x(500, 1.0);
    call(kernels(), "function_after_a_loop", {{1}, {64}}, x.data(), n);
    for (int k = 0; k < 64; ++k) EXPECT_EQ(x[static_cast<std::size_t>(63 - k)], k < n ? (n - k + 63) / 64 : 0) << n;
  }
}

// ---- instructions that nvcc seldom writes ----

Module& single(const std::string& body, const char* registers) {
  static std::vector<std::unique_ptr<Module>> modules;
  const std::string text =
      std::string(
          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one(.param .u64 p) {\n"
          ".reg .u64 %rd<8>; .reg .u32 %t; ") +
      registers +
      "\nld.param.u64 %rd0, [p]; cvta.to.global.u64 %rd0, %rd0; mov.u32 %t, %tid.x; mul.wide.u32 %rd1, %t, 8;\n"
      "add.u64 %rd0, %rd0, %rd1;\n" +
      body + "\nret;\n}\n";
  modules.push_back(std::make_unique<Module>(text, "one.ptx"));
  return *modules.back();
}
// The 8 bytes that thread 0 leaves at p.
std::uint64_t result(const std::string& body,
                     const char* registers = ".reg .u32 %r<16>; .reg .u64 %x; .reg .pred %p<4>; .reg .b16 %h<4>;",
                     std::uint32_t threads = 1) {
  std::vector<std::uint64_t> r(32, 0);
  call(single(body, registers), "one", {{1}, {threads}}, r.data());
  return r[0];
}

TEST(Ptx, BitFieldsAreExtractedAndInserted) {
  EXPECT_EQ(result("bfe.u32 %r1, 0x12345678, 8, 12; st.global.u32 [%rd0], %r1;"), 0x456u);
  EXPECT_EQ(result("bfe.s32 %r1, 0x00000f00, 8, 4; st.global.u32 [%rd0], %r1;"), 0xffffffffu);
  EXPECT_EQ(result("bfe.s32 %r1, 0x80000000, 28, 12; st.global.u32 [%rd0], %r1;"), 0xfffffff8u);
  EXPECT_EQ(result("bfe.u64 %x, 0x123456789abcdef0, 60, 4; st.global.u64 [%rd0], %x;"), 1u);
  EXPECT_EQ(result("bfi.b32 %r1, 0xff, 0x11111111, 8, 4; st.global.u32 [%rd0], %r1;"), 0x11111f11u);
  EXPECT_EQ(result("bmsk.clamp.b32 %r1, 4, 8; st.global.u32 [%rd0], %r1;"), 0xff0u);
  EXPECT_EQ(result("lop3.b32 %r1, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96; st.global.u32 [%rd0], %r1;"), 0x96969696u);
  EXPECT_EQ(result("szext.clamp.s32 %r1, 0x000000f0, 8; st.global.u32 [%rd0], %r1;"), 0xfffffff0u);
  EXPECT_EQ(result("bfind.s32 %r1, -2; st.global.u32 [%rd0], %r1;"), 0u);
}

TEST(Ptx, CarriesGoFromInstructionToInstruction) {
  EXPECT_EQ(
      result("add.cc.u32 %r1, 0xffffffff, 2; addc.u32 %r2, 5, 6; mov.b64 %x, {%r1, %r2}; st.global.u64 [%rd0], %x;"),
      std::uint64_t{12} << 32 | 1);
  EXPECT_EQ(result("sub.cc.u32 %r1, 1, 2; subc.u32 %r2, 9, 3; mov.b64 %x, {%r1, %r2}; st.global.u64 [%rd0], %x;"),
            std::uint64_t{5} << 32 | 0xffffffffu);
  EXPECT_EQ(result("mad.lo.cc.u32 %r1, 0xffffffff, 3, 7; madc.hi.u32 %r2, 0xffffffff, 3, 1; mov.b64 %x, {%r1, %r2}; "
                   "st.global.u64 [%rd0], %x;"),
            std::uint64_t{4} << 32 | 4);
}

TEST(Ptx, PredicatesAreCombinedAndNegated) {
  EXPECT_EQ(result("setp.lt.and.s32 %p0|%p1, 3, 5, 1; selp.u32 %r1, 10, 20, %p0; @!%p1 add.u32 %r1, %r1, 1; "
                   "st.global.u32 [%rd0], %r1;"),
            11u);
  EXPECT_EQ(result("setp.gt.u32 %p0, 3, 5; not.pred %p1, %p0; xor.pred %p2, %p0, %p1; selp.u32 %r1, 10, 20, !%p2; "
                   "st.global.u32 [%rd0], %r1;"),
            20u);
}

TEST(Ptx, IndexedBranchesJumpByATable) {
  const std::string body =
      "rem.u32 %r1, %t, 3;\nways: .branchtargets L0, L1, L2;\nbrx.idx %r1, ways;\n"
      "L0: mov.u32 %r2, 100; bra DONE;\nL1: mov.u32 %r2, 200; bra DONE;\nL2: mov.u32 %r2, 300;\n"
      "DONE: bar.warp.sync -1; shfl.sync.idx.b32 %r3, %r2, 4, 31, -1; st.global.u32 [%rd0], %r3;";
  EXPECT_EQ(result(body, ".reg .u32 %r<4>;", 32), 200u);
}

TEST(Ptx, NamesInBracesAreTheirOwn) {
  EXPECT_EQ(result("mov.u32 %r1, 1; { .reg .u32 %r1; mov.u32 %r1, 2; { .reg .u32 %r<3>; mov.u32 %r2, 3; } } "
                   "st.global.u32 [%rd0], %r1;"),
            1u);
}

TEST(Ptx, AtomicsWrapWhereTheManualSays) {
  // 5 is counted up to 7, then 0; down from 0 comes the limit.
  const char* const change =
      "st.global.u32 [%rd0], 5; atom.global.inc.u32 %r1, [%rd0], 7; atom.global.inc.u32 %r1, [%rd0], 7; ";
  EXPECT_EQ(result(std::string(change)), 7u);
  EXPECT_EQ(result(std::string(change) + "red.global.inc.u32 [%rd0], 7;"), 0u);
  EXPECT_EQ(result("st.global.u32 [%rd0], 0; atom.global.dec.u32 %r1, [%rd0], 9;"), 9u);
  EXPECT_EQ(result("st.global.u32 [%rd0], 12; atom.global.dec.u32 %r1, [%rd0], 9;"), 9u);
  EXPECT_EQ(result("st.global.u32 [%rd0], 3; atom.global.cas.b32 %r1, [%rd0], 3, 8; atom.global.cas.b32 %r2, [%rd0], "
                   "3, 9; add.u32 %r1, %r1, %r2; "
                   "red.global.add.u32 [%rd0], %r1;"),
            8u + 3 + 8);
  EXPECT_EQ(
      result("st.global.u32 [%rd0], 3; atom.global.min.s32 %r1, [%rd0], -3; atom.global.max.s32 %r1, [%rd0], -2;"),
      0xfffffffeu);
}

TEST(Ptx, NumbersOfTwoBytesAreRoundedOnce) {
  // 1 + 2^-11 lies between two halves and goes to the even one; 3 (1 + 2^-10) + 2^-11 is rounded once.
  EXPECT_EQ(result("mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x1000; add.rn.f16 %h3, %h1, %h2; st.global.u16 [%rd0], %h3;"),
            0x3c00u);
  EXPECT_EQ(result("mov.b16 %h1, 0x3c01; mov.b16 %h2, 0x1000; add.rn.f16 %h3, %h1, %h2; st.global.u16 [%rd0], %h3;"),
            0x3c02u);
  EXPECT_EQ(
      result("mov.b16 %h1, 0x3f80; mov.b16 %h2, 0x4040; fma.rn.bf16 %h3, %h1, %h2, %h2; st.global.u16 [%rd0], %h3;"),
      0x40c0u);
  EXPECT_EQ(result("mov.b32 %r1, 0x40003c00; mul.f16x2 %r2, %r1, %r1; st.global.u32 [%rd0], %r2;"), 0x44003c00u);
  EXPECT_EQ(result("cvt.rn.f16.f32 %h1, 0f477FF000; st.global.u16 [%rd0], %h1;"), 0x7c00u);
  EXPECT_EQ(result("cvt.rz.f16.f32 %h1, 0f477FF000; st.global.u16 [%rd0], %h1;"), 0x7bffu);
}

TEST(Ptx, AddressesTellTheirSpace) {
  const char* const registers = ".reg .u32 %r<4>; .reg .u64 %a<4>; .reg .pred %p<4>; .shared .align 8 .b8 room[64];";
  EXPECT_EQ(
      result(
          "mov.u64 %a1, room; cvta.shared.u64 %a2, %a1; isspacep.shared %p1, %a2; isspacep.global %p2, %a2; "
          "isspacep.shared %p3, %rd0;"
          "selp.u32 %r1, 1, 0, %p1; @%p2 add.u32 %r1, %r1, 10; @%p3 add.u32 %r1, %r1, 100; st.global.u32 [%rd0], %r1;",
          registers),
      1u);
  EXPECT_EQ(result("mov.u64 %a1, room; cvta.shared.u64 %a2, %a1; st.u32 [%a2+8], 42; ld.shared.u32 %r1, [room+8]; "
                   "st.global.u32 [%rd0], %r1;",
                   registers),
            42u);
  EXPECT_EQ(result("st.global.u64 [%rd0+8], 77; cp.async.ca.shared.global [room], [%rd0+8], 8; cp.async.commit_group; "
                   "cp.async.wait_group 0;"
                   "ld.shared.u32 %r1, [room]; st.global.u32 [%rd0], %r1;",
                   registers),
            77u);
}

// Warps 0 and 1 meet at barrier 1, to which warp 2 does not come; warp 2 waits for what warp 0 has announced at
// barrier 2.
TEST(Ptx, NamedBarriersAreForSomeWarps) {
  const std::string body =
      "setp.lt.u32 %p1, %t, 64; @!%p1 bra LAST; st.shared.u32 [room], 5; bar.sync 1, 64; ld.shared.u32 %r1, [room]; "
      "add.u32 %r1, %r1, 1;"
      "setp.ge.u32 %p2, %t, 32; @%p2 bra END; st.shared.u32 [room+4], %r1; bar.arrive 2, 64; bra END;\n"
      "LAST: bar.sync 2, 64; ld.shared.u32 %r2, [room+4]; mul.wide.u32 %rd1, %t, 8; sub.u64 %rd0, %rd0, %rd1; "
      "st.global.u32 [%rd0], %r2;\n"
      "END:";
  EXPECT_EQ(result(body, ".reg .u32 %r<4>; .reg .pred %p<4>; .shared .align 8 .b8 room[64];", 96), 6u);
}

// ---- what kernels do wrong ----

std::string fault_of(const auto& f) {
  try {
    f();
  } catch (const Fault& fault) { return fault.kind + ": " + fault.what(); }
  return "";
}

TEST(PtxFaults, OverrunsOfSharedMemoryAreFound) {
  std::vector<double> x(64, 1.0);
  EXPECT_EQ(fault_of([&] { call(kernels(), "shared_overrun", {{1}, {64}}, x.data(), 0); }), "");
  const std::string said = fault_of([&] { call(kernels(), "shared_overrun", {{1}, {64}}, x.data(), 1); });
  EXPECT_NE(said.find("memcheck: thread 63 of block 0: reads 8 bytes at 0x200: beyond the 512 bytes"),
            std::string::npos)
      << said;
}
TEST(PtxFaults, OverrunsOfAnArrayIntoTheNextAreFound) {
  std::vector<double> x(64, 1.0);
  EXPECT_EQ(fault_of([&] { call(kernels(), "shared_neighbours", {{1}, {64}}, x.data(), 0); }), "");
  EXPECT_EQ(x[63], 63 + 1);
  const std::string said = fault_of([&] { call(kernels(), "shared_neighbours", {{1}, {64}}, x.data(), 1); });
  EXPECT_NE(said.find("between two arrays of shared memory"), std::string::npos) << said;
}
TEST(PtxFaults, ArraysOfTheLaunchComeAfterARedZone) {
  std::vector<double> x(64, 1.0);
  const Shape shape{{1}, {64}, 64 * sizeof(double)};
  EXPECT_EQ(fault_of([&] { call(kernels(), "shared_before_dynamic", shape, x.data(), 0); }), "");
  const std::string said = fault_of([&] { call(kernels(), "shared_before_dynamic", shape, x.data(), 1); });
  EXPECT_NE(said.find("between two arrays of shared memory"), std::string::npos) << said;
}
TEST(PtxFaults, RegistersThatNothingWritesAreFound) {
  const char* const registers = ".reg .f64 %f<4>; .reg .pred %q;";
  for (const char* body :
       {"mov.f64 %f1, 0d3FF0000000000000; add.f64 %f2, %f1, %f3;", "@%q mov.f64 %f1, 0d3FF0000000000000;"})
    EXPECT_EQ(single(body, registers).entry("one")->unwritten.size(), 1u) << body;
  EXPECT_TRUE(kernels().entry("products_and_sums")->unwritten.empty());
}
TEST(PtxFaults, MisalignedVectorsAreFound) {
  std::vector<Double2> x(40);
  EXPECT_NE(fault_of([&] {
              call(kernels(), "misaligned", {{1}, {32}}, x.data());
            }).find("misaligned"),
            std::string::npos);
}
TEST(PtxFaults, BarriersInDivergentCodeAreFound) {
  std::vector<int> x(64);
  EXPECT_NE(fault_of([&] {
              call(kernels(), "barrier_in_branches", {{1}, {64}}, x.data());
            }).find("synccheck"),
            std::string::npos);
}
TEST(PtxFaults, ShufflesAtTwoPlacesAreFound) {
  std::vector<int> x(32);
  std::iota(x.begin(), x.end(), 0);
  const std::string said = fault_of([&] { call(kernels(), "shuffle_in_branches", {{1}, {32}}, x.data()); });
  EXPECT_NE(said.find("whose lanes do not all come"), std::string::npos) << said;
  x.assign(32, 2);
  EXPECT_EQ(fault_of([&] { call(kernels(), "shuffle_in_branches", {{1}, {32}}, x.data()); }), "");
}
TEST(PtxFaults, BlocksOfMoreThreadsThanTheLaunchBoundsAreFound) {
  std::vector<int> x(96);
  EXPECT_EQ(fault_of([&] { call(kernels(), "bounded", {{1}, {64}}, x.data()); }), "");
  const std::string said = fault_of([&] { call(kernels(), "bounded", {{1}, {96}}, x.data()); });
  EXPECT_NE(said.find("a block of 96 threads, of bounded, which may have 64"), std::string::npos) << said;
}
TEST(PtxFaults, DivisionsOfIntegersByZeroAreFound) {
  for (const char* body : {"div.u32 %r1, 7, %t;", "rem.s64 %x, 7, %rd1;"}) {
    std::uint64_t r[32] = {};
    const std::string said = fault_of([&] {
      call(single(body, ".reg .u32 %r1; .reg .u64 %x;"), "one", {{1}, {1}}, &r[0]);
    });
    EXPECT_NE(said.find("arithmetic: thread 0 of block 0: an integer is divided by zero"), std::string::npos) << said;
  }
}
TEST(PtxFaults, TrapsAndAssertionsEndTheLaunch) {
  EXPECT_EQ(fault_of([&] { call(kernels(), "traps", {{1}, {32}}, 3); }), "");
  EXPECT_NE(fault_of([&] { call(kernels(), "traps", {{1}, {32}}, 4); }).find("trap: thread 0"), std::string::npos);
  const std::string said = fault_of([&] { call(kernels(), "asserts", {{1}, {32}}, 4); });
  EXPECT_NE(said.find("'n < 3 || threadIdx.x != 5' does not hold"), std::string::npos) << said;
}
TEST(PtxFaults, InstructionsThatAreNotKnownAreNamed) {
  Module& module = single("wgmma.fence.sync.aligned;", "");
  const Function* const f = module.entry("one");
  EXPECT_EQ(f->unsupported.count("wgmma.fence.sync.aligned"), 1u);
  std::uint64_t r[32] = {};
  EXPECT_NE(fault_of([&] {
              call(module, "one", {{1}, {1}}, &r[0]);
            }).find("wgmma.fence.sync.aligned"),
            std::string::npos);
}

// Plain products and sums become one operation where ptxas 13.0 fuses them, as the machine code of these texts shows.
// f1 = 1 + 2^-30, f2 = 1 - 2^-30, f3 = -1: the product is 1 - 2^-60, which alone is rounded to 1.
double fused(const std::string& body) {
  const std::string numbers =
      "mov.f64 %f1, 0d3FF0000000400000; mov.f64 %f2, 0d3FEFFFFFFF800000; mov.f64 %f3, 0dBFF0000000000000; ";
  return bits_as<double>(result(numbers + "mul.f64 %f4, %f1, %f2; " + body + " st.global.f64 [%rd0], %f5;",
                                ".reg .f64 %f<12>; .reg .pred %q;"));
}
TEST(Ptx, ProductsThatOnlySumsReadAreFusedAsByTheAssembler) {
  constexpr double rest = -0x1p-60;
  EXPECT_EQ(fused("add.f64 %f5, %f4, %f3;"), rest);
  EXPECT_EQ(fused("add.f64 %f5, %f3, %f4;"), rest);
  EXPECT_EQ(fused("neg.f64 %f6, %f3; sub.f64 %f5, %f4, %f6;"), rest);
  EXPECT_EQ(fused("neg.f64 %f6, %f3; sub.f64 %f5, %f6, %f4;"), -rest);
  EXPECT_EQ(fused("neg.f64 %f6, %f4; neg.f64 %f7, %f3; add.f64 %f5, %f6, %f7;"), -rest);
  EXPECT_EQ(fused("add.f64 %f5, %f4, %f3; add.f64 %f6, %f4, %f1;"), rest);
  // The left one of two products.
  EXPECT_EQ(fused("mul.f64 %f6, %f3, 0d3FF0000000000000; add.f64 %f5, %f4, %f6;"), rest);
  EXPECT_EQ(fused("mul.f64 %f6, %f3, 0d3FF0000000000000; add.f64 %f5, %f6, %f4;"), 0);
}
TEST(Ptx, ProductsThatOthersReadAreNotFused) {
  EXPECT_EQ(fused("add.f64 %f5, %f4, %f3; mul.f64 %f6, %f4, %f1;"), 0);
  EXPECT_EQ(fused("add.f64 %f5, %f4, %f3; st.global.f64 [%rd0], %f4;"), 0);
  EXPECT_EQ(fused("setp.gt.f64 %q, %f1, %f3; mov.f64 %f5, %f1; @!%q bra L; add.f64 %f5, %f4, %f3; L:"), 0);
  EXPECT_EQ(fused("add.rn.f64 %f5, %f4, %f3;"), 0);
  EXPECT_EQ(fused("mul.rn.f64 %f6, %f1, %f2; add.f64 %f5, %f6, %f3;"), 0);
}
TEST(Ptx, SumsThatMayBeFusedOtherwiseAreCounted) {
  const char* const registers = ".reg .f64 %f<12>;";
  // The second product is left alone by one sum, and is the only one of another.
  EXPECT_EQ(
      single("mul.f64 %f4, %f1, %f2; mul.f64 %f5, %f1, %f3; add.f64 %f6, %f4, %f5; add.f64 %f7, %f5, %f1;", registers)
          .entry("one")
          ->contractible,
      2);
  EXPECT_EQ(kernels().entry("products_and_sums")->contractible, 0);
}

}  // namespace
}  // namespace ritz::ptx
