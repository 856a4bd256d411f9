// Data that a run shares with earlier runs of the same process: the device, the mesh, the space with its pattern,
// the equations with their lists, the matrix with its factor. The members of a sweep share one; a single run has its
// own.
#pragma once

#include "device/device.hpp"
#include "device/function_ref.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/constraints.hpp"
#include "io/results/result_folder.hpp"
#include "mesh/functions/mesh_field.hpp"
#include "mesh/mesh.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class StaticBatch;
struct SweepPlan;

struct SharedModel {
  std::optional<Device> device;
  std::string mesh_key;  // keys of the case on which the mesh depends; other meshes are replaced
  std::optional<Mesh> mesh;
  // Fields on other meshes that files had, for the present mesh.
  struct KnownField {
    std::string key;  // of the file, and of the keys that say what of it was taken
    MeshField field;
    std::string file;
    std::vector<std::string> told;  // lines of the log
  };
  std::vector<KnownField> fields;
  std::string space_key;
  FunctionSpace space;
  std::vector<std::unique_ptr<Operator>> equations;
  SystemCache reuse;  // of the first equations
  // Used by sweeps:
  bool sweeps = false;
  std::shared_ptr<const SweepPlan> plan = nullptr;
  bool writes_fields = true;
  ResultFolder* folder = nullptr;
  StaticBatch* batch = nullptr;
  std::function<void()> settle = [] {};  // called before shared data is freed: solves for those that wait

  // The present mesh, if it was made from the same `key`, else a new one.
  const Mesh& mesh_for(const std::string& key, FunctionRef<Mesh()> make);
  const FunctionSpace& space_for(const std::string& key, FunctionRef<FunctionSpace()> make);
  // The present equations, with these numbers, if forms and places are the same. A single run gets new
  // ones.
  Operator& equations_for(const FunctionSpace& on, std::vector<Integral> integrals,
                          ElementLists lists = ElementLists::written);
  std::vector<std::string> take_steps_down();  // of all equations, since the last call
  // Before finish() of these supports tells the space which nodes the relations join: what was made for other joins is
  // used up and freed.
  void join(const Constraints& supports);
  void forget_equations();  // with what was made for them

 private:
  std::vector<LinearEquations> relations_;  // of the last run that had the space,
  std::vector<std::uint8_t> prescribed_;    // and its prescribed unknowns, which decide what follows what
};

}  // namespace ritz
