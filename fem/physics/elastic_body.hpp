// Solids, plane bodies and bodies of revolution, linear elastic at small strains or of any law of materials: materials,
// loads and supports in, a Model out. SI units stand for any consistent ones.
//
//   ElasticBody body(mesh);                                            // or (mesh, PlaneKind::stress, thickness)
//   body.material("all", {.young = 210e9, .poisson = 0.3, .density = 7850});
//   body.loads.fix("clamp");
//   body.loads.force("eye", {0, 0, -2000});
//   body.load_case("wind").pressure("front", 800);
//   const Model model = body.model(Device::automatic());
#pragma once

#include "fem/physics/elastic_loads.hpp"
#include "fem/physics/elastic_material.hpp"
#include "fem/physics/ground.hpp"
#include "fem/physics/model.hpp"
#include "fem/physics/rotation.hpp"
#include "fem/results/error_estimate.hpp"

#include <deque>
#include <span>

namespace ritz {

class ElasticBody {
 public:
  using Material = ElasticMaterial;

  // `plane` says what a mesh of two dimensions stands for.
  explicit ElasticBody(const Mesh& mesh, PlaneKind plane = PlaneKind::strain, double thickness = 1);

  void material(On cells, Material material);  // each cell has one
  void foundation(On facets, Foundation foundation);
  void spring(On nodes, GroundSpring spring);
  // The body turns, and so does the frame of its displacements: centrifugal forces are loads, outside of load cases. Of
  // a plane body the axis stands across the plane; of a body of revolution it is y. Needs densities.
  void rotates(Rotation rotation);
  // Rotations and strains are finite; loads but pressures keep their direction and the size of the undeformed body.
  bool large_displacements = false;
  bool pressures_follow = true;  // where they can; false: of vibration about a state, whose matrices are symmetric
  // The analysis goes through time: the temperature of materials with a law is that of the time. Else it grows from the
  // reference along the load path, at whose end it is the given one.
  bool in_time = false;
  // The displacements of a body of revolution have three components, r, y and hoop, and waves around the axis, none at
  // first: with_waves(model, n) (fem/analysis/sector_modes.hpp) gives the model of n. Loads have no waves, and act in
  // Model::without_waves alone.
  bool waves = false;
  ElasticLoads loads;  // in all load cases
  int components() const { return waves ? 3 : mesh_.dimension(); }
  ElasticLoads& load_case(std::string name) { return load_cases_.emplace_back(std::move(name)); }

  const BodyMeasure& measure() const { return measure_; }
  bool has_laws() const;                       // is a material of a law, or are displacements large?
  bool has_warming_laws() const;               // does one of them depend on the temperature, or expand?
  std::vector<const LawRecord*> laws() const;  // of the materials that name one, each once
  bool has_axes() const;                       // has a material its stiffness along axes?
  bool is_mixed() const;            // has a material a pressure as an unknown? Then that is field 1 of models
  bool has_thermal_strain() const;  // in all load cases or in one
  // [kg] density times volume, by quadrature over the mesh alone; nothing where a density varies, or is not given.
  std::optional<double> mass() const;
  // For an estimate of the error by the mesh. Materials whose place is not found, and those along axes, are left out.
  ErrorModel error_model() const;

  // For models with mixed materials. The stress of the pressure field, where its values at the nodes of the mesh are
  // these, as integrals that derive it for all cells. They depend on the time as the laws do.
  std::vector<Integral> stresses_of_pressure(const Device& device, std::vector<double> field) const;
  // [mesh node] The pressure -K g by the values of the field; elsewhere that of the stress [mesh node][6].
  std::vector<double> pressure(const Device& device, std::vector<double> field, std::span<const double> stress) const;

  // Throws Error or Errors: what is wrong with the inputs, all of it at once.
  Model model(const Device& device, const SpaceOptions& options = {}) const;
  // On a space of one component for each dimension. Adds to `errors` instead, and leaves out what is wrong.
  Model model(FunctionSpace space, ErrorList& errors) const;

 private:
  struct PlacedMaterial {
    On place;
    Material input;
  };
  template <int G>
  class Builder;

  Model model_with_waves(FunctionSpace space, ErrorList& errors) const;
  ElasticSetting setting() const;
  Coefficient part_of_warming() const { return in_time ? Coefficient(1) : Coefficient(PointExpression::t()); }
  // For a mixed material; 0 where it does not expand.
  Coefficient free_strain(const Material& material) const;
  template <class Visit>  // visit(region, material), of those whose place is found
  void each_material(const Visit& visit) const;

  // The one of all load cases; null where there is none.
  const Coefficient* common_temperature() const { return loads.temperature_ ? &loads.temperature_->of.value : nullptr; }

  Mesh mesh_;
  PlaneKind plane_;
  BodyMeasure measure_;
  std::vector<PlacedMaterial> materials_;
  std::vector<std::pair<On, Foundation>> foundations_;
  std::vector<std::pair<On, GroundSpring>> springs_;
  std::optional<Rotation> rotation_;
  std::deque<ElasticLoads> load_cases_;  // references to them stay valid
};

}  // namespace ritz
