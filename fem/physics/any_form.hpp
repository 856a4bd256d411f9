// Equations of any forms, those of Ritz or one's own: forms on cells and facets, loads and prescribed values in, a
// Model out. All forms act on one unknown. Units are those of the forms; loads on a plane mesh act per area or length
// of the plane, whatever the thickness of a form.
//
//   AnyForm rod(mesh);
//   rod.material("all", Diffusion<3>{200});             // or catalogue.make("my_form", {{"conductivity", 200}})
//   rod.boundary("fins", Convection<3>{60, 20});
//   rod.capacity("all", 2.4e6);                         // stored per volume and unit of the unknown
//   rod.loads.load("tip", {5e4});
//   rod.loads.prescribe("base", 0, 100);
//   const Model model = rod.model(Device::automatic());
#pragma once

#include "fem/physics/model.hpp"

#include <deque>
#include <variant>

namespace ritz {

// The residual of a form, or a density times the unknown.
using StoredQuantity = std::variant<Coefficient, FormValue>;

// The form whose residual is `density` times every component; there is none for more components than directions.
std::optional<FormValue> mass_form(int dimension, int components, const Coefficient& density,
                                   const BodyMeasure& measure);

// Loads and prescribed values that act together: always, or in one load case.
class FormLoads {
 public:
  explicit FormLoads(std::string name = {}) : name_(std::move(name)) {}
  // One density for each component, positive into the body: per volume on cells, per area on facets.
  void load(On cells_or_facets, std::vector<Coefficient> density, std::string origin = {});
  void prescribe(On region, int component, Coefficient value, std::string origin = {});
  const std::string& name() const { return name_; }

 private:
  friend class AnyForm;
  struct Load {
    On place;
    std::vector<Coefficient> density;
    std::string origin;
  };
  struct Prescribed {
    On place;
    int component;
    Coefficient value;
    std::string origin;
  };
  std::string name_;
  std::vector<Load> loads_;
  std::vector<Prescribed> prescribed_;
};

class AnyForm {
 public:
  explicit AnyForm(const Mesh& mesh) : mesh_(mesh) {}

  void material(On cells, FormValue form, std::string origin = {});   // each cell has one
  void boundary(On facets, FormValue form, std::string origin = {});  // several on one facet add

  void capacity(On cells, StoredQuantity stored, std::string origin = {});   // changes in time
  void inertia(On cells, StoredQuantity momentum, std::string origin = {});  // of free vibration, per velocity

  FormLoads loads;  // in all load cases
  FormLoads& load_case(std::string name) { return load_cases_.emplace_back(std::move(name)); }

  // Throws Error or Errors: what is wrong with the inputs, all of it at once.
  Model model(const Device& device, const SpaceOptions& options = {}) const;
  // On a space with the components of the forms. Adds to `errors` instead, and leaves out what is wrong.
  Model model(FunctionSpace space, ErrorList& errors) const;

 private:
  struct PlacedForm {
    On place;
    FormValue form;
    std::string origin;
  };
  struct PlacedQuantity {
    On place;
    StoredQuantity quantity;
    std::string origin;
  };
  class Builder;

  Mesh mesh_;
  std::vector<PlacedForm> materials_, boundaries_;
  std::vector<PlacedQuantity> capacity_, inertia_;
  std::deque<FormLoads> load_cases_;  // references to them stay valid
};

}  // namespace ritz
