// Tables of a case that join unknowns, while they are read: the field at hand, and the model that takes the equations.
// A table is a file (tie_table.cpp) with a function that is declared here, and a row in relations.cpp.
#pragma once

#include "apps/cases/case_model.hpp"
#include "apps/cases/fields_of_case.hpp"
#include "apps/cases/relations.hpp"
#include "fem/physics/rigid_region.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

inline constexpr auto every_region_kind = {RegionKind::nodes, RegionKind::facets, RegionKind::cells};

class RelationInput {
 public:
  // `fields`: of a case of several, else null. `whole`: the mesh of a body whose parts are the meshes of the fields,
  // else null.
  RelationInput(Run& run, const RelationKinds& kinds, CaseModel& read, const FieldsOfCase* fields, const Mesh* whole);

  // Takes the field of several, or the part of a body, that the table names. One without unknowns at nodes is an error.
  void enter(const Case::Table& t);
  void enter_part(const Case::Table& t);

  Run& run() const { return run_; }
  const RelationKinds& kinds() const { return kinds_; }
  CaseModel& read() const { return read_; }
  Model& model() const { return read_.model; }
  bool has_fields() const { return fields_ != nullptr; }
  bool is_of_parts() const { return whole_ != nullptr; }

  // Those of the field at hand.
  const FunctionSpace& space() const { return space_; }
  const Mesh& mesh() const { return space_.mesh(); }
  int field() const { return field_; }
  bool is_at_nodes() const { return is_at_nodes_; }                    // are its unknowns?
  const std::vector<std::uint8_t>& acting() const { return acting_; }  // [unknown]

  std::string metre() const { return units_of(run_.report()).of(" m"); }
  // Facets; of structures also the cells of surfaces and lines.
  const Region* surface(const Case::Table& t, const char* key, const char* about) const;
  // Adds an error where the field at hand is no displacement or velocity. `what`: "a rigid region".
  bool moves(const Case::Table& t, const char* what) const;
  // An error of vibration: a right-hand side that is not zero.
  void refuse_motion(const Case::Table& t, const char* key, double value) const;

  // build() may throw an Error, which is added to the case. Regions of a survey are any: nothing is built.
  template <class Build>
  void attempt(const Build& build) {
    if (run_.options().survey || !is_at_nodes_) return;
    try {
      build();
    } catch (const Error& error) { run_.input().add_error(error); }
  }
  void keep(LinearEquations equations);  // of the field at hand
  void add_moved(MovedRegion region);

 private:
  Run& run_;
  RelationKinds kinds_;
  CaseModel& read_;
  const FieldsOfCase* const fields_;
  const Mesh* const whole_;
  int field_ = 0;
  bool is_at_nodes_ = true;
  FunctionSpace space_;
  std::vector<std::uint8_t> acting_;
};

// The tables, each in its file.
void read_tie(const Case::Table& t, RelationInput& in);
void read_rigid(const Case::Table& t, RelationInput& in);
void read_coupling(const Case::Table& t, RelationInput& in);
void read_periodic(const Case::Table& t, RelationInput& in);
void read_equation(const Case::Table& t, RelationInput& in);
void read_gap(const Case::Table& t, RelationInput& in);

// Names of the components of a field, and the number of one by its name; -1 after an error.
std::vector<std::string> component_names_of(const FunctionSpace& space);
int component_of(const Case::Table& t, const char* key, const std::string& name, const FunctionSpace& space);

// How far from the other side a node may lie [m]; none: it was not given.
std::optional<double> read_tie_tolerance(const Case::Table& t);

}  // namespace ritz
