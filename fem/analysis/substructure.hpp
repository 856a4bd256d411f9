// A part of a body reduced to the unknowns of its interface and the modes that it has while the interface is held
// (Craig and Bampton, AIAA Journal 6, 1968), or without modes (Guyan, AIAA Journal 3, 1965): u = Psi u_b + Phi q, where
// Psi are static answers to the motion of each unknown of the interface. Stiffness and loads are exact in statics;
// with all modes, so is the mass.
//
//   const ReducedModel r = reduce(model, {.interface = {&mesh.region("flange")}, .modal = {{.count = 20}}});
//   r.stiffness, r.mass;    Vector u = r.recovered(q);
#pragma once

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/forecast.hpp"
#include "solvers/algebra/multi_vector.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct Substructure {
  struct Interface {
    const Region* region;  // of facets or nodes: all of their unknowns that supports leave
    int field = 0;
  };
  std::vector<Interface> interface;
  std::optional<Modal> modal = {};  // while the interface is held; none: Guyan's reduction
  LinearSolverOptions linear = {};
};

struct ReducedModel {
  struct Unknown {
    Node node;  // of the space
    int component;
    int field = 0;
  };
  std::vector<Unknown> interface;          // the first unknowns
  std::vector<double> frequencies = {};    // [mode] with the interface held [Hz]: the unknowns after them
  std::vector<double> stiffness, mass;     // [row][column]
  std::vector<std::string> load_names;     // loads, then "base x", "base y", "base z": M t of translations t
  std::vector<std::vector<double>> loads;  // [load][unknown]
  std::optional<MultiVector> shapes;       // columns Psi, then Phi
  Layout layout = {};                      // of these over ranks, each of which has its unknowns

  int size() const { return static_cast<int>(interface.size() + frequencies.size()); }
  Vector recovered(std::span<const double> q) const;  // over ranks all of them call it
};

// Throws Error: Exit::model: a model that is not linear, masses and springs at reference points, an interface without
// unknowns or one that follows others, and where the held interface leaves the part free.
void check(const Model& model, const Substructure& analysis);
ReducedModel reduce(const Model& model, const Substructure& analysis, const Observer& observer = {},
                    const Prepared& prepared = {});
Forecast forecast(const Model& model, const Substructure& analysis, const Prepared& prepared = {});

}  // namespace ritz
