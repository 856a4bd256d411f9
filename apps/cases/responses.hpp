// Tables of answers on modes, next to [modal]: what excites ([[harmonic.load]], [[harmonic.base]]; likewise of [random]
// and [spectrum]), and [damping] of modes.
//
//   if (responds(run)) read.load_cases = read_exciting_loads(run, tables, matrix_tables);
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/analysis/modal_space.hpp"

#include <string>
#include <vector>

namespace ritz {

// Has the case [harmonic], [random] or [spectrum]? Two of them, or one without [modal], are added to its errors.
bool responds(Run& run);
// Do loads outside of load cases excite? With a preload, or in a later step, they are those of the state.
bool outside_loads_excite(Run& run, const CaseModel& read);
// [[load_case]] of loads that excite; combinations are errors.
LoadCaseInputs read_exciting_loads(Run& run, const std::vector<std::string>& load_tables,
                                   const std::vector<MatrixTable>& matrix_tables);

// [damping] with `ratio` and `structural`, or Rayleigh's.
ModalDamping read_modal_damping(Case& input);

enum class ResponseKind { harmonic, random, spectrum };
struct NamedExcitation {
  std::string load;  // a load case; "loads": those outside of load cases; empty: the base
  Excitation excitation;
};
// [[load]] and [[base]] of the table. Of harmonic response without either: all loads in phase. None is an error.
std::vector<NamedExcitation> read_excitations(const Case::Table& table, ResponseKind kind, const CaseModel& read,
                                              bool outside_excites, int dimension);
// With the numbers that loads have in the space.
std::vector<Excitation> numbered(const std::vector<NamedExcitation>& excitations, const ModalSpace& space);
// A number, or "name(f)".
FrequencyTable read_over_frequency(const Case::Table& table, const char* key, const char* about,
                                   FrequencyTable::Scale scale, const NumberRule& rule);

}  // namespace ritz
