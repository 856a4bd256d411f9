// Linear relations between unknowns as a case says them: [[tie]], [[rigid]], [[periodic]] and [[equation]], and
// supports along directions that are no axes. They hold in all load cases.
#pragma once

#include "apps/cases/case_model.hpp"
#include "apps/cases/fields_of_case.hpp"
#include "fem/physics/oblique_support.hpp"

#include <optional>
#include <vector>

namespace ritz {

// Which of them a physics has.
struct RelationKinds {
  bool displacements = false;  // the unknown is one: rigid regions, strains and rotations make sense
  bool periodic = true;
  bool at_rest = false;             // of vibration: right-hand sides are zero
  bool loaded = false;              // of vibration: forces at reference points are a preload, or excite
  bool masses = false;              // reference points may have some
  std::vector<Point> gravity = {};  // [m/s^2] outside of load cases, then in each
  bool of_revolution = false;
  bool large = false;  // displacements: relations are linear, so rigid regions must not turn
};

// An entry of [[displacement]] along a direction of its own. `value` may be a formula of the position.
struct ObliqueSupport {
  enum class Kind { normal, direction, cylindrical } kind;
  const Region* region;
  Coefficient value;
  Point direction{};
  CylindricalAxes axes{};
  CylindricalComponent component{};
  std::string origin;
};
// The keys normal, direction and cylindrical of an entry of [[displacement]]: was there any? Without `supports`, in a
// load case, they are errors.
bool read_oblique_supports(const Case::Table& t, const Region* region, const Mesh& mesh, bool at_rest,
                           std::vector<ObliqueSupport>* supports);

// Adds them to the model that was read, with what is said of them after a solution. Errors are added to the case.
void read_relations(Run& run, const RelationKinds& kinds, const std::vector<ObliqueSupport>& supports, CaseModel& read);

// Ties, periodic sides and equations of a case of several fields, each of the field that it names.
void read_relations(const FieldsOfCase& fields, CaseModel& read);

// Those of a body of solids and sections, which `whole` is the mesh of: ties and rigid regions in one of the two,
// couplings and periodic sides of solids, equations between unknowns of both. loaded, gravity: as in RelationKinds.
void read_relations(Run& run, const Mesh& whole, bool loaded, std::vector<Point> gravity, CaseModel& read);

// Tables that load cases cannot have of their own, for read_load_cases().
std::vector<MatrixTable> relation_tables(std::vector<MatrixTable> others);

}  // namespace ritz
