// The kernel of a law on a GPU.
#pragma once

#include "device/launch.hpp"
#include "fem/launch/law_inputs.hpp"
#include "fem/materials/plane_stress.hpp"

#include <limits>

namespace ritz::RITZ_BACKEND {

// The numbers of one point: [number][lane] from its pack on.
struct PointNumbers {
  double* first;
  __device__ double& operator()(int number) const { return first[number * lane_count]; }
};

// The strain across, the column of moduli along it in `across`.
template <Law L>
__device__ void find_strain_across(const L& law, const LawArguments& a, const Conditions<double>& at,
                                   Symmetric<double>& strain, const double* before, double* now,
                                   Column<double>& across) {
  double left = 1;
  for (int step = 0; step <= plane_stress_steps && left > 0; ++step) {
    across = column_of(law, at, strain, 2, before, now);
    left = stress_across_is_left(strain, across.stress[2], across.moduli[2]);
    if (step < plane_stress_steps && left > 0)
      strain[2] = next_strain_across(strain, across.stress[2], across.moduli[2], a.measure);
  }
  if (left > 0) across.stress[0] = across.moduli[2] = std::numeric_limits<double>::quiet_NaN();
}

// thread = (lane, column of the moduli, pack), in this order; without moduli one column. A block has whole packs.
template <Law L>
__global__ void law_kernel(const __grid_constant__ L of_all, const __grid_constant__ LawCall a) {
  constexpr int S = LawFacts<L>::state, count = S > 0 ? S : 1;
  const int columns = a.moduli != nullptr ? 6 : 1;
  const Index thread = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  const Index pack = thread / (lane_count * columns);
  const int lane = static_cast<int>(thread % lane_count), b = static_cast<int>(thread / lane_count % columns);
  const auto numbers = [&](double* array, int width) { return PointNumbers{array + pack * width * lane_count + lane}; };
  const PointNumbers given = numbers(a.strain, 6);
  Symmetric<double> strain, stress;
  double before[count] = {}, now[count];
  if (pack < a.packs) {
    for (int k = 0; k < 6; ++k) strain[k] = given(k);
    for (int i = 0; i < S; ++i) before[i] = a.before[(pack * S + i) * lane_count + lane];
  }
  __syncthreads();  // the strain across is overwritten below
  if (pack >= a.packs) return;
  const L law = law_with(of_all, a.varying,
                         [&](int number) { return a.parameters[pack * a.stride + number * lane_count + lane]; });
  Column<double> own, across;
  Conditions<double> at{.time = a.time};
  if constexpr (TemperatureLaw<L>)
    if (a.temperature != nullptr) at.temperature = a.temperature[pack * a.stride + lane];
  if (a.plane_stress) {
    find_strain_across(law, a, at, strain, before, now, across);
    stress = across.stress;
    stress[2] = 0;
  }
  if (a.moduli != nullptr) {
    own = column_of(law, at, strain, b, before, now);
    if (a.plane_stress) {
      const double scale = own.moduli[2] / across.moduli[2];
      for (int k = 0; k < 6; ++k) own.moduli[k] = k == 2 || b == 2 ? 0 : own.moduli[k] - scale * across.moduli[k];
    } else {
      stress = own.stress;
    }
    for (int k = 0; k < 6; ++k) numbers(a.moduli, 36)(k * 6 + b) = own.moduli[k];
  } else if (!a.plane_stress) {
    stress = stress_of(law, at, strain, before, now);
  }
  if (b > 0) return;
  if (a.plane_stress) given(2) = strain[2];
  for (int k = 0; k < 6; ++k) numbers(a.stress, 6)(k) = stress[k];
  if (a.now != nullptr) {
    for (int i = 0; i < S; ++i) numbers(a.now, S)(i) = now[i];
  }
}

template <Law L>
void run_law(const Device& device, const LawArguments& a) {
  constexpr int threads = 2 * 6 * lane_count;
  const Index count = a.packs * lane_count * (a.moduli != nullptr ? 6 : 1);
  if (count == 0) return;
  const LaunchScope launch(device, L::name);
  start(device, {(count + threads - 1) / threads, threads, 0}, law_kernel<L>, *static_cast<const L*>(a.law),
        whole_call(a));
}

}  // namespace ritz::RITZ_BACKEND
