// Loads and supports of an elastic body.
#pragma once

#include "fem/physics/elastic_material.hpp"
#include "fem/physics/model.hpp"
#include "fem/physics/remote_force.hpp"

#include <optional>
#include <string>
#include <vector>

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

  // Adds integrals and supports for a model, all but weights and temperatures, which act on materials. The model
  // becomes nonlinear where pressures follow. G: dimension of the mesh.
  struct Body {
    const Mesh& mesh;
    BodyMeasure measure;
    int components;            // of displacements
    bool large_displacements;  // as of ElasticBody, and the next
    bool pressures_follow;
  };
  template <int G>
  void add_to(Model& model, const Body& body, std::vector<Integral>& integrals,
              std::vector<PrescribedValue>& prescribed, ErrorList& errors) const;

 private:
  friend class ElasticBody;
  template <int G>
  class Builder;
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

}  // namespace ritz
