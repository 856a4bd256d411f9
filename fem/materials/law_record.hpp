// Description of a registered law: its facts and its declared parameters, as plain data that a kernel module registers
// with the law's kernel (as fem/forms/form_record.hpp has it of forms).
#pragma once

#include "fem/forms/form_record.hpp"
#include "fem/materials/hardening.hpp"
#include "fem/materials/kinematics.hpp"

namespace ritz {

struct LawRecord {
  const char* name;
  Strain large;
  bool small, symmetric, isotropic, reads_time, reads_temperature;
  FormRecord numbers;  // parameters, internal variables and prototype of the law; facts of forms are unused
  // [bytes] Where the law's table of hardening begins (fem/materials/hardening.hpp); -1: it has none.
  int table;
  bool table_over_temperature;  // it has one curve for each of several temperatures
  // Do the time and the temperature enter with these numbers of the law? nullptr: always, where it reads them.
  bool (*needs_time)(const void* numbers);
  bool (*needs_temperature)(const void* numbers);
  // Writes into the numbers in which space the law is used, where it has to know; nullptr: no law of ours has to.
  void (*enter)(void* numbers, Space space, bool large, bool plane_stress);
};

template <Law L>
LawRecord record_of_law() {
  LawRecord r{};
  r.name = L::name;
  r.large = L::large;
  r.small = LawFacts<L>::small;
  r.symmetric = LawFacts<L>::symmetric;
  r.isotropic = LawFacts<L>::isotropic;
  r.reads_time = LawFacts<L>::reads_time;
  r.reads_temperature = TemperatureLaw<L>;
  r.numbers.name = L::name;
  describe_numbers<L>(r.numbers);
  describe_state<L>(r.numbers);
  r.table = -1;
  if constexpr (requires { L::table; }) {
    L law{};
    const auto* first = reinterpret_cast<const std::byte*>(&law);
    using Table = std::remove_cvref_t<decltype(law.*(L::table))>;
    r.table_over_temperature = std::is_same_v<Table, HardeningOverTemperature>;
    r.table = static_cast<int>(reinterpret_cast<const std::byte*>(&(law.*(L::table))) - first);
  }
  if constexpr (requires(const L& law) { law.needs_time(); })
    r.needs_time = [](const void* numbers) { return static_cast<const L*>(numbers)->needs_time(); };
  if constexpr (requires(const L& law) { law.needs_temperature(); })
    r.needs_temperature = [](const void* numbers) { return static_cast<const L*>(numbers)->needs_temperature(); };
  return r;
}

}  // namespace ritz
