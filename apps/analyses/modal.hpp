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
// Adds the names of the results of mode number k.
void name_mode(std::size_t k, CaseModel& read);
// Displacements and rotations of a body of solids and sections, on the whole mesh.
MotionOf motion_in(const Model& body);
// Log, report, and the check of the mass.
void report_modes(Run& run, const CaseModel& read, VibrationModes& modes, const ModalInput& input, Index unknowns);

}  // namespace ritz
