// The kernel of a law on a CPU: a pack of points at a time, called by the thread that works on their elements.
#pragma once

#include "fem/launch/law_inputs.hpp"
#include "fem/launch/pack_numbers_cpu.hpp"
#include "fem/materials/plane_stress.hpp"

#include <limits>

namespace ritz::RITZ_BACKEND {

inline bool any_positive(const Pack& x) {
  double lanes[lane_count];
  x.store(lanes);
  bool any = false;
  for (const double lane : lanes) any = any || lane > 0;
  return any;
}
template <Law L>
[[gnu::noinline]] void respond(const L& law, const Conditions<Pack>& at, const Symmetric<Pack>& strain,
                               const Pack* before, Pack* now, Response<Pack>& r) {
  r = response_of(law, at, strain, before, now);
}

template <Law L>
void find_strain_across(const L& law, const LawArguments& a, const Conditions<Pack>& at, Symmetric<Pack>& strain,
                        const Pack* before, Pack* now, Response<Pack>& r) {
  Pack left = 1.0;
  for (int step = 0; step <= plane_stress_steps && any_positive(left); ++step) {
    respond(law, at, strain, before, now, r);
    left = stress_across_is_left(strain, r.stress[2], r.moduli[2][2]);
    if (step < plane_stress_steps && any_positive(left))
      strain[2] = next_strain_across(strain, r.stress[2], r.moduli[2][2], a.measure);
  }
  const Pack found = select(left, Pack(std::numeric_limits<double>::quiet_NaN()), Pack(0.0));
  condense(r);
  for (int k = 0; k < 6; ++k) r.stress[k] += found;
}

template <Law L>
void run_law(const Device&, const LawArguments& a) {
  constexpr int S = LawFacts<L>::state, count = S > 0 ? S : 1;
  const L& law = *static_cast<const L*>(a.law);
  for (Index pack = 0; pack < a.packs; ++pack) {
    Conditions<Pack> at{.time = a.time};
    if constexpr (TemperatureLaw<L>)
      if (const LawCall& call = whole_call(a); call.temperature != nullptr)
        at.temperature = Pack::load(call.temperature + pack * call.temperature_stride);
    Symmetric<Pack> strain;
    Pack before[count], now[count];
    Response<Pack> r;
    load_numbers(a.strain + pack * 6 * lane_count, 6, strain.v);
    load_numbers(a.before + pack * S * lane_count, S, before);
    if (a.plane_stress) {
      find_strain_across(law, a, at, strain, before, now, r);
      strain[2].store(a.strain + (pack * 6 + 2) * lane_count);
    } else if (a.moduli != nullptr) {
      respond(law, at, strain, before, now, r);
    } else {
      r.stress = stress_of(law, at, strain, before, now);
    }
    store_numbers(r.stress.v, 6, a.stress + pack * 6 * lane_count);
    if (a.moduli != nullptr) store_numbers(&r.moduli[0][0], 36, a.moduli + pack * 36 * lane_count);
    if (a.now != nullptr) store_numbers(now, S, a.now + pack * S * lane_count);
  }
}

}  // namespace ritz::RITZ_BACKEND
