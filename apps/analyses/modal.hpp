// [modal]: how the modes of a case are found and reported, for the analyses that take modes.
#pragma once

#include "apps/analyses/case_analysis.hpp"
#include "apps/results/modal_results.hpp"

#include <optional>

namespace ritz {

struct ModalInput {
  Modal eigen;
  ModeShapes shapes;
  bool factorised = false;                               // for want of a method that is named
  std::optional<std::vector<int>> nodal_diameters = {};  // of a sector
  bool whole = false;                                    // shapes of the whole body of a sector, too
  std::optional<Static> preload = {};  // how the state under the loads is found first; none: the body is free of stress
};

ModalInput read_modal(Run& run, const CaseModel& read, CaseSolvers& solvers);
// Programs of static cases find modes as one of several steps.
void require_program_of_modes(Run& run);
// Modes of a sector by nodal diameters.
std::unique_ptr<CaseAnalysis> sector_modal_analysis(Run& run, CaseModel& read, ModalInput input);
// Checks of the modes and of their preload.
void check_modes(const Model& model, const ModalInput& input);
// Sets the state about which the body vibrates to that under the loads outside of load cases.
void find_preload(const CaseModel& read, const Observer& observer, const Prepared& prepared, ModalInput& input);
// Adds the names of the results of mode number k; with a suffix those of the second part of a shape.
void name_mode(std::size_t k, CaseModel& read, const char* suffix = "");
// Memory of several fields next to one system: the masses, and the columns of modes, of their search and of the static
// answers to so many forces.
MemoryNeeds needs_of_modes(const FieldsOfModel& fields, const ModalInput& input, Index more = 0);
// With the method of static answers, for the forecast of several fields.
LinearSolverOptions linear_of_answers(const CaseModel& read, CaseSolvers& solvers);
// Displacements and rotations of a body of solids and sections, on the whole mesh.
MotionOf motion_in(const Model& body);
MotionOf motion_of(Run& run, const CaseModel& read);  // of such a body, or of one field
// Log, report, and the check of the mass.
void report_modes(Run& run, const CaseModel& read, VibrationModes& modes, const ModalInput& input, Index unknowns);

}  // namespace ritz
