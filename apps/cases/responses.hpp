// Tables of answers on modes, next to [modal]: what excites ([[harmonic.load]], [[harmonic.base]]; likewise of
// [random], [spectrum] and [history]), and [damping] of modes.
//
//   if (responds(run)) read.load_cases = read_exciting_loads(run, tables, matrix_tables);
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/analysis/direct_harmonic.hpp"
#include "fem/analysis/random_response.hpp"

#include <string>
#include <vector>

namespace ritz {

// Has the case [harmonic], [random], [spectrum], [history] or [complex]? Two of them, or one without [modal], are added
// to its errors.
bool responds(Run& run);
// Is the case read as one of vibration? With [modal], or with [harmonic].
bool vibrates(Run& run);
Case::Table harmonic_table(Case& input);
bool is_direct(const Case::Table& harmonic);
bool has_engine_order(Run& run);  // [harmonic] engine_order
// Do loads outside of load cases excite? With a preload, or in a later step, they are those of the state.
bool outside_loads_excite(Run& run, const CaseModel& read);
// [[load_case]] of loads that excite; combinations are errors.
LoadCaseInputs read_exciting_loads(Run& run, const std::vector<std::string>& load_tables,
                                   const std::vector<MatrixTable>& matrix_tables);

// [damping] with `ratio` and `structural`, or Rayleigh's.
ModalDamping read_modal_damping(Case& input);

// [[damping.dashpot]]; of nodes of solids and of sections in parts of their numbers.
std::vector<Dashpot> read_dashpots(Run& run, const Model& model);
// Damping without modes: Rayleigh's, `structural`, [[damping.region]] and [[damping.dashpot]].
void read_direct_damping(Run& run, const Model& model, DirectHarmonic& analysis);

enum class ResponseKind { harmonic, random, spectrum, history };
struct NamedExcitation {
  std::string load;  // a load case; "loads": those outside of load cases; empty: the base
  Excitation excitation;
  Formula over_time = 1.0;  // of [history]: amplitude, or acceleration
  std::string name = {};    // by which [[random.correlation]] knows it
};
// [[load]] and [[base]] of the table. Of harmonic response and time history without either: all loads together. None is
// an error. Those of time history may be formulas of t where the case allows them (Case::allow_time).
std::vector<NamedExcitation> read_excitations(const Case::Table& table, ResponseKind kind, const CaseModel& read,
                                              bool outside_excites, int dimension);
// [[random.correlation]]: pairs of them.
std::vector<Correlation> read_correlations(const Case::Table& random, const std::vector<NamedExcitation>& excitations);
// With the numbers that loads have in the space. Loads that are not among them are reported.
std::vector<Excitation> numbered(Run& run, const std::vector<NamedExcitation>& excitations, const ModalSpace& space);
// A number, or "name(f)".
FrequencyTable read_over_frequency(const Case::Table& table, const char* key, const char* about,
                                   FrequencyTable::Scale scale, const NumberRule& rule);

}  // namespace ritz
