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

#include "fem/physics/elastic_material.hpp"
#include "fem/physics/ground.hpp"
#include "fem/physics/model.hpp"
#include "fem/physics/remote_force.hpp"
#include "fem/physics/rotation.hpp"
#include "fem/results/error_estimate.hpp"

#include <deque>
#include <span>

namespace ritz {

// Loads and supports that act together: always, or in one load case. Vectors have one entry for each dimension.
class ElasticLoads {
 public:
  explicit ElasticLoads(std::string name = {}) : name_(std::move(name)) {}
  ElasticLoads supports() const;                                                         // without those that act
  void gravity(std::vector<double> acceleration, std::string origin = {});               // [m/s^2]
  Point acceleration() const;                                                            // of gravity; 0: there is none
  void body_force(On cells, std::vector<Coefficient> density, std::string origin = {});  // [N/m^3]
  void traction(On facets, std::vector<Coefficient> density, std::string origin = {});   // [Pa]
  // [N] in total, spread evenly over facets; of solids also in equal parts at the nodes of a region.
  void force(On facets_or_nodes, std::vector<Coefficient> total, std::string origin = {});
  void force_at_each(On nodes, std::vector<Coefficient> force, std::string origin = {});  // of solids [N]
  void remote_force(On facets, RemoteForce force, std::string origin = {});               // of solids
  // Into the body [Pa]. Where displacements are large it follows the surface: it turns with it, and acts on its
  // deformed area; follows = false: it keeps the direction and the area of the undeformed one.
  void pressure(On facets, Coefficient value, std::string origin = {}, std::optional<bool> follows = {});
  void displacement(On region, int component, Coefficient value, std::string origin = {});  // prescribed [m]
  void fix(On region, std::string origin = {});                                             // all of them are 0
  // The temperature of the whole body, which is free of thermal strain at the reference. Either outside of all load
  // cases, or in some of them.
  void temperature(Coefficient value, double reference, std::string origin = {});
  const std::string& name() const { return name_; }

 private:
  friend class ElasticBody;
  struct Entry {
    On place;
    std::vector<Coefficient> value;
    std::string origin;
  };
  struct Pressure {
    On place;
    Coefficient value;
    std::string origin;
    std::optional<bool> follows;
  };
  struct Force {
    On place;
    std::vector<Coefficient> value;
    bool each;  // at each node; else in total
    std::string origin;
  };
  struct Remote {
    On place;
    RemoteForce force;
    std::string origin;
  };
  struct Displacement {
    On place;
    int component;  // -1: all
    Coefficient value;
    std::string origin;
  };
  struct Gravity {
    std::vector<double> acceleration;
    std::string origin;
  };
  std::string name_;
  struct Temperature {
    BodyTemperature of;
    std::string origin;
  };
  std::optional<Gravity> gravity_;
  std::optional<Temperature> temperature_;
  std::vector<Entry> body_forces_, tractions_;
  std::vector<Pressure> pressures_;
  std::vector<Force> forces_;
  std::vector<Remote> remote_forces_;
  std::vector<Displacement> displacements_;
};

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
