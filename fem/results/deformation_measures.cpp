#include "fem/results/deformation_measures.hpp"

#include <algorithm>
#include <array>

namespace ritz {
namespace {

using F3 = Tensor<double>;
using Sym = Symmetric<double>;

void put(const Sym& tensor, double* numbers) { std::copy_n(tensor.v, 6, numbers); }

void first_piola_kirchhoff(const F3& F, const Sym& cauchy, double* numbers) {
  const F3 P = full(det(F) * cauchy) * transposed(inverse(F));
  std::copy_n(&P.v[0][0], 9, numbers);
}
void second_piola_kirchhoff(const F3& F, const Sym& cauchy, double* numbers) {
  put(det(F) * turned(inverse(F), cauchy), numbers);
}
void kirchhoff(const F3& F, const Sym& cauchy, double* numbers) { put(det(F) * cauchy, numbers); }

void green_lagrange_strain(const F3& F, const Sym&, double* numbers) {
  put(0.5 * (right_cauchy_green(F) - Sym::identity()), numbers);
}
void logarithmic_strain(const F3& F, const Sym&, double* numbers) { put(0.5 * log(right_cauchy_green(F)), numbers); }
void engineering_strain(const F3& F, const Sym&, double* numbers) {
  put(sqrt(right_cauchy_green(F)) - Sym::identity(), numbers);
}

constexpr std::array<DeformationMeasure, 6> measures = {{{"first_piola_kirchhoff_stress", 9, first_piola_kirchhoff},
                                                         {"second_piola_kirchhoff_stress", 6, second_piola_kirchhoff},
                                                         {"kirchhoff_stress", 6, kirchhoff},
                                                         {"green_lagrange_strain", 6, green_lagrange_strain},
                                                         {"logarithmic_strain", 6, logarithmic_strain},
                                                         {"engineering_strain", 6, engineering_strain}}};

}  // namespace

std::span<const DeformationMeasure> deformation_measures() { return measures; }

const DeformationMeasure* deformation_measure(std::string_view name) {
  const auto found = std::ranges::find_if(measures, [&](const DeformationMeasure& each) { return name == each.name; });
  return found == measures.end() ? nullptr : &*found;
}

}  // namespace ritz
