// Sums, products, quotients and roots rounded toward zero, down or up: by the rounding mode of the CPU. Compiled with
// -frounding-math.
#include "tests/ptx/lanes.hpp"

#include <algorithm>
#include <cfenv>
#include <iterator>

namespace ritz::ptx {
namespace {

constexpr int cpu_modes[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

template <class T>
T result(int operation, T a, T b, T c) {
  switch (operation) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return std::fma(a, b, c);
    case 4: return a / b;
    case 5: return std::sqrt(a);
    default: return T{1} / a;
  }
}

// mode: the operation; count: how it is rounded
template <class T>
void rounded(Warp& w, const Instruction& i) {
  const int before = std::fegetround();
  std::fesetround(cpu_modes[i.count]);
  const bool flush = (i.flags & flush_subnormals) != 0;
  for_lanes(w.exec, [&](int lane) {
    T x[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = i.in[k].is_given ? w.in<T>(i.in[k])[lane] : T{0};
      if (flush) x[k] = flushed(x[k]);
    }
    volatile T r = result<T>(i.mode, x[0], x[1], x[2]);
    T d = canonical(r);
    if (flush) d = flushed(d);
    if ((i.flags & saturate) != 0) d = d > 0 ? d < 1 ? d : T{1} : T{0};
    w.out<T>(i.out[0])[lane] = d;
  });
  std::fesetround(before);
}

}  // namespace

Handler rounded_arithmetic(Statement& s) {
  constexpr std::string_view names[] = {"add", "sub", "mul", "fma", "div", "sqrt", "rcp", "mad"};
  const auto found = std::find(std::begin(names), std::end(names), s.name);
  if (found == std::end(names)) return nullptr;
  const int rounding = s.take_one_of({"rz", "rm", "rp"});
  if (rounding < 0) return nullptr;
  s.i.count = static_cast<std::uint8_t>(rounding);
  s.i.mode = s.name == "mad" ? 3 : static_cast<std::uint8_t>(found - std::begin(names));
  if (s.take("ftz")) s.i.flags |= flush_subnormals;
  if (s.take("sat")) s.i.flags |= saturate;
  const Type t = s.take_type();
  if (s.i.mode == 3) s.operands({t}, {t, t, t});
  else if (s.i.mode >= 5) s.operands({t}, {t});
  else s.operands({t}, {t, t});
  return t == Type::f64 ? &rounded<double> : t == Type::f32 ? &rounded<float> : nullptr;
}

}  // namespace ritz::ptx
