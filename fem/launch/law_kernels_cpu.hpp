// The kernel of a law on a CPU: a pack of points at a time, called by the thread that works on their elements.
#pragma once

#include "fem/launch/law_inputs.hpp"
#include "fem/launch/pack_numbers_cpu.hpp"
#include "fem/materials/plane_stress.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace ritz::RITZ_BACKEND {

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

// The arguments of one pack.
template <Law L>
LawCall call_of_pack(const LawCall& a, Index pack) {
  LawCall one = a;
  const auto move = [&](auto*& numbers, Index count) {
    if (numbers != nullptr) numbers += pack * count * lane_count;
  };
  one.packs = 1;
  move(one.strain, 6);
  move(one.before, LawFacts<L>::state);
  move(one.now, LawFacts<L>::state);
  move(one.stress, 6);
  move(one.moduli, 36);
  if (one.temperature != nullptr) one.temperature += pack * a.stride;
  if (one.varying != 0) one.parameters += pack * a.stride;
  return one;
}

template <Law L>
[[gnu::noinline]] void answer_pack(const L& law, const LawCall& a) {
  constexpr int S = LawFacts<L>::state, count = S > 0 ? S : 1;
  Conditions<Pack> at{.time = a.time};
  if constexpr (TemperatureLaw<L>)
    if (a.temperature != nullptr) at.temperature = Pack::load(a.temperature);
  Symmetric<Pack> strain;
  Pack before[count], now[count];
  Response<Pack> r;
  load_numbers(a.strain, 6, strain.v);
  load_numbers(a.before, S, before);
  if (a.plane_stress) {
    find_strain_across(law, a, at, strain, before, now, r);
    strain[2].store(a.strain + 2 * lane_count);
  } else if (a.moduli != nullptr) {
    respond(law, at, strain, before, now, r);
  } else {
    r.stress = stress_of(law, at, strain, before, now);
  }
  store_numbers(r.stress.v, 6, a.stress);
  if (a.moduli != nullptr) store_numbers(&r.moduli[0][0], 36, a.moduli);
  if (a.now != nullptr) store_numbers(now, S, a.now);
}

// A pack whose lanes have other parameters each: one answer for all lanes with the same ones, so that a law need not
// know that its numbers vary.
template <Law L>
[[gnu::noinline]] void answer_lanes(const L& law, const LawCall& a) {
  constexpr int S = LawFacts<L>::state, count = S > 0 ? S : 1;
  alignas(64) double strain[6 * lane_count], stress[6 * lane_count], moduli[36 * lane_count], now[count * lane_count];
  const int parameters = std::popcount(a.varying);
  const auto same = [&](int lane, int other) {
    for (int i = 0; i < parameters; ++i)
      if (a.parameters[i * lane_count + lane] != a.parameters[i * lane_count + other]) return false;
    return true;
  };
  LawCall some = a;
  some.strain = strain;
  some.stress = stress;
  some.moduli = a.moduli != nullptr ? moduli : nullptr;
  some.now = a.now != nullptr ? now : nullptr;
  bool is_done[lane_count] = {};
  for (int lane = 0; lane < lane_count; ++lane) {
    if (is_done[lane]) continue;
    std::copy_n(a.strain, 6 * lane_count, strain);
    answer_pack(law_with(law, a.varying, [&](int i) { return a.parameters[i * lane_count + lane]; }), some);
    for (int other = lane; other < lane_count; ++other) {
      if (is_done[other] || !same(lane, other)) continue;
      is_done[other] = true;
      const auto copy = [&](const double* from, int numbers, double* to) {
        for (int i = 0; i < numbers; ++i) to[i * lane_count + other] = from[i * lane_count + other];
      };
      copy(strain, 6, a.strain);
      copy(stress, 6, a.stress);
      if (a.moduli != nullptr) copy(moduli, 36, a.moduli);
      if (a.now != nullptr) copy(now, S, a.now);
    }
  }
}

template <Law L>
void run_law(const Device&, const LawArguments& a) {
  const L& law = *static_cast<const L*>(a.law);
  for (Index pack = 0; pack < a.packs; ++pack) {
    const LawCall one = call_of_pack<L>(whole_call(a), pack);
    if (one.varying == 0) answer_pack(law, one);
    else answer_lanes(law, one);
  }
}

}  // namespace ritz::RITZ_BACKEND
