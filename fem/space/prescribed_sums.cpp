#include "fem/space/prescribed_sums.hpp"

#include "device/error.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {

void check_sums(std::span<const PrescribedSum> sums, FunctionRef<double(std::int32_t unknown)> value_of,
                FunctionRef<std::string(std::int32_t unknown)> name_of, const std::string& when) {
  for (const PrescribedSum& sum : sums) {
    double value = 0, size = sum.size;
    for (std::size_t i = 0; i < sum.unknown.size(); ++i) {
      const double part = sum.factor[i] * value_of(sum.unknown[i]);
      value += part;
      size += std::abs(part);
    }
    if (std::abs(value - sum.value) <= 1e-9 * size) continue;
    throw Error(ErrorKind::conflicting_conditions,
                fmt::format("prescribed values contradict {}{}: {} and {} others", sum.origin, when,
                            name_of(sum.unknown.front()), sum.unknown.size() - 1),
                fmt::format("all unknowns of an equation are prescribed; its sum is {:g}, and {:g} is asked for", value,
                            sum.value),
                "leave one of them free, or prescribe values that satisfy the equation");
  }
}

}  // namespace ritz
