// Heat conduction in solids, plane bodies and bodies of revolution: materials, loads, convection and radiation in, a
// Model out. SI units stand for any consistent ones.
//
//   HeatConduction heat(mesh, {.thickness = 0.01});
//   heat.material("all", {.conductivity = 200, .density = 2700, .specific_heat = 900});
//   heat.convection("fins", {.coefficient = 60, .ambient = 20});
//   heat.loads.flux("base", 5e4);
//   const Model model = heat.model(Device::automatic());
#pragma once

#include "fem/physics/material_property.hpp"
#include "fem/physics/model.hpp"
#include "fem/physics/orientation.hpp"
#include "fem/results/error_estimate.hpp"

#include <array>
#include <deque>

namespace ritz {

// Loads and temperatures that act together: always, or in one load case.
class HeatLoads {
 public:
  explicit HeatLoads(std::string name = {}) : name_(std::move(name)) {}
  void source(On cells, Coefficient density, std::string origin = {});         // [W/m^3]
  void flux(On facets, Coefficient density, std::string origin = {});          // into the body [W/m^2]
  void power(On facets_or_cells, Coefficient total, std::string origin = {});  // spread evenly [W]
  void temperature(On region, Coefficient value, std::string origin = {});     // prescribed
  const std::string& name() const { return name_; }

 private:
  friend class HeatConduction;
  struct Entry {
    On place;
    Coefficient value;
    std::string origin;
  };
  std::string name_;
  std::vector<Entry> sources_, fluxes_, powers_, temperatures_;
};

class HeatConduction {
 public:
  struct Material {
    MaterialProperty conductivity = Coefficient(0);  // k [W/(m K)]
    // k along the material axes, in place of it.
    std::optional<std::array<double, 3>> conductivity_along = {};
    std::optional<Orientation> orientation = {};         // of the material axes; those of space by default
    std::optional<Coefficient> density = {};             // [kg/m^3] for evolutions in time
    std::optional<MaterialProperty> specific_heat = {};  // c [J/(kg K)] likewise
    std::string origin = {};
  };
  struct Options {
    double thickness = 1;       // of plane bodies [m]
    bool axisymmetric = false;  // a plane mesh is half of the section of a body of revolution about the y axis, x = r
    double absolute_zero = 0;   // in the unit of the temperatures: -273.15 for degrees Celsius
  };
  // h (T - ambient) leaves the body.
  struct Convection {
    Coefficient coefficient;  // h [W/(m^2 K)]
    Coefficient ambient;      // temperature of the fluid
    std::string origin = {};
  };
  // emissivity sigma (T^4 - ambient^4) leaves the body, in absolute temperatures.
  struct Radiation {
    Coefficient emissivity;
    Coefficient ambient;  // temperature of the surroundings
    std::string origin = {};
  };

  explicit HeatConduction(const Mesh& mesh) : HeatConduction(mesh, Options{}) {}
  HeatConduction(const Mesh& mesh, const Options& options);

  void material(On cells, Material material);  // each cell has one
  void convection(On facets, Convection convection);
  void radiation(On facets, Radiation radiation);
  HeatLoads loads;  // in all load cases
  HeatLoads& load_case(std::string name) { return load_cases_.emplace_back(std::move(name)); }

  const BodyMeasure& measure() const { return measure_; }
  bool has_axes() const;  // does a material conduct along axes?
  // For an estimate of the error by the mesh, of linear equations: materials whose conductivity is a table, or whose
  // place is not found, are left out.
  ErrorModel error_model() const;

  // Throws Error or Errors: what is wrong with the inputs, all of it at once.
  Model model(const Device& device, const SpaceOptions& options = {}) const;
  // On a space of one component. Adds to `errors` instead, and leaves out what is wrong.
  Model model(FunctionSpace space, ErrorList& errors) const;

 private:
  template <class Input>
  struct Placed {
    On place;
    Input input;
  };
  template <int G>
  class Builder;

  Mesh mesh_;
  BodyMeasure measure_;
  double absolute_zero_;
  std::vector<Placed<Material>> materials_;
  std::vector<Placed<Convection>> convections_;
  std::vector<Placed<Radiation>> radiations_;
  std::deque<HeatLoads> load_cases_;  // references to them stay valid
};

}  // namespace ritz
