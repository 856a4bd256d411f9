// The parts that heat and elasticity share: what a two-dimensional mesh stands for, supports, checks, the summary.
#pragma once

#include "apps/cases/case_model.hpp"
#include "apps/cases/relations.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/operator/operator.hpp"
#include "fem/physics/place.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <span>
#include <string>
#include <vector>

namespace ritz {

// [model] of the case. In three dimensions type is "solid".
struct PlaneModel {
  std::string type;
  double weight = 1;  // of integrals: the thickness, or 2 pi for a body of revolution
  bool axisymmetric = false;
};
// `types`: what a mesh of two dimensions may stand for; `fallback` may be empty: then the type must be given.
PlaneModel plane_model(Run& run, const Mesh& mesh, const std::vector<std::string>& types, const std::string& fallback);

// Has the region an area? In a body of revolution its axis has none, so that what acts on facets there is nothing: an
// error.
bool has_area(const Case::Table& table, const Mesh& mesh, const Region& facets, const PlaneModel& plane);

void add_material_errors(Case& input, const Mesh& mesh, const std::vector<MaterialRegion>& materials);

// [space]. It lives as long as the run, or longer: members of a sweep share it. With a catalogue the case may name a
// reference element of a plugin, too.
const FunctionSpace& make_space(Run& run, const Mesh& mesh, int components, const FormCatalogue* catalogue = nullptr);
// With the sparsity pattern of a matrix, where there will be one: `solver` tells whether equations that are linear need
// none.
Operator& make_operator(Run& run, const FunctionSpace& space, std::vector<Integral> integrals,
                        const LinearSolverOptions* solver = nullptr);

// Makes the model of typed inputs (fem/physics), with the relations between its unknowns. Errors are added to the case;
// notices go to the log.
template <class Inputs>
void make_model(Run& run, const Inputs& inputs, const FunctionSpace& space, const RelationKinds& relations,
                const std::vector<ObliqueSupport>& supports, CaseModel& read) {
  ErrorList errors;
  read.model = inputs.model(space, errors);
  for (const Error& error : errors.errors()) run.input().add_error(error);
  for (const std::string& notice : read.model.notices) run.log().notice(notice);
  read_relations(run, relations, supports, read);
  remove_parts(run, read.model);
  if (!read.model.has_fields()) make_supports(run.input(), read);
}

struct ModelDemands {
  bool held = false;    // supports leave no motion free
  bool loaded = false;  // something acts
};

// Adds conflicts of supports and what is demanded of the model to the errors of the case.
void check_model(Run& run, const CaseModel& read, const ModelDemands& demands);
// The same, then all errors of the case at once; with --check the run ends here. `fields`: the results to come, which
// probes may name.
void finish_model(Run& run, const CaseModel& read, const ModelDemands& demands, const ProbeFields& fields);

// "peak <name>: value at (x, y, z)": largest, and smallest when signed.
void print_range(Run& run, const Mesh& mesh, const std::string& name, const std::vector<double>& values);
// Sums of loads [component] and of reactions [mesh node][component], in the log and among the facts; empty `applied`:
// loads are not known.
void print_balance(Run& run, std::span<const double> applied, const std::vector<double>& reaction, double residual,
                   int components, bool axisymmetric = false);
// Throws Error: Exit::not_converged where loads and reactions, which add up to zero in a state of rest, do not.
// `contributions`: sums that add up; `size`: of what they are sums; `tolerance`: of the solver.
void check_balance(std::string_view what, std::span<const double> contributions, double size, double tolerance,
                   const std::string& unit);
// The same of a state of rest that has sums of its loads; `reaction` [mesh node][component].
void check_balance(const Run& run, const SolutionView& s, std::span<const double> applied,
                   const std::vector<double>& reaction, int components, bool axisymmetric);
// Sums over many nodes, for a log: 0 where they are rounding beside the largest.
std::vector<double> without_rounding(std::span<const double> sums, double largest);
double largest_of(std::span<const double> numbers);
// [vector] Lengths of vectors [vector][component].
std::vector<double> magnitudes(const std::vector<double>& vectors, int components);
void print_peak(Run& run, const Mesh& mesh, const std::string& name, const std::vector<double>& magnitudes);
// A notice, once a run, where nodes move against each other by more than a tenth of the mesh's size: equations that
// take displacements as small do not hold there. `displacements` [node][components]
void judge_displacements(Run& run, const Mesh& mesh, std::span<const double> displacements, int components);

}  // namespace ritz
