// Description of a registered law: its facts and its declared parameters, as plain data that a kernel module registers
// with the law's kernel (as fem/forms/form_record.hpp has it of forms).
#pragma once

#include "fem/forms/form_record.hpp"
#include "fem/materials/law.hpp"

namespace ritz {

struct LawRecord {
  const char* name;
  Strain large;
  bool small, symmetric, isotropic, reads_time;
  FormRecord numbers;  // parameters, internal variables and prototype of the law; facts of forms are unused
  // [bytes] Where the law's table of hardening begins (fem/materials/hardening.hpp); -1: it has none.
  int table;
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
  r.numbers.name = L::name;
  describe_numbers<L>(r.numbers);
  describe_state<L>(r.numbers);
  r.table = -1;
  if constexpr (requires { L::table; }) {
    L law{};
    const auto* first = reinterpret_cast<const std::byte*>(&law);
    r.table = static_cast<int>(reinterpret_cast<const std::byte*>(&(law.*(L::table))) - first);
  }
  return r;
}

}  // namespace ritz
