// Keys of a reference point, which [[rigid]] and [[coupling]] share: motion, loads, mass and springs.
#pragma once

#include "apps/cases/relation_input.hpp"
#include "fem/physics/remote_force.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace ritz {

inline constexpr std::array<const char*, 6> motion_names = {"x", "y", "z", "rx", "ry", "rz"};

// A prescribed motion of a reference point; none: free.
std::optional<double> motion_of(const Case::Table& t, int c);

// Force [N] and moment [N m], which act in statics and in time, and in vibration as a preload or as what excites.
bool takes_loads(const RelationInput& in);
std::pair<Point, Point> loads_of(const Case::Table& t, const RelationInput& in);
bool acts(const Point& v);

struct PointMass {
  double mass = 0;  // [kg]
  Point inertia{};  // [kg m^2] about the axes through the point
  double of(std::size_t motion) const { return motion < 3 ? mass : inertia[motion - 3]; }
};

PointMass mass_of(const Case::Table& t, const RelationInput& in);

// weight(force, loads): adds the weight of the mass to loads; outside of load cases, and in each.
void weigh(const PointMass& mass, RelationInput& in,
           FunctionRef<void(const Point& force, std::vector<Integral>& loads)> weight);

// Springs of vibration, and masses of vibration and motion. [motion] held: without a compliance stiffly.
// terms(motion): empty where the region does not move so.
void attach(const Case::Table& t, RelationInput& in, const PointMass& mass,
            const std::array<std::optional<double>, 6>& held, const std::array<double, 6>& compliances,
            FunctionRef<std::vector<UnknownTerm>(std::size_t motion)> terms);

// Springs between a reference point and the ground, which prescribe no motion: they add zero to those that are.
// [m/N, rad/(N m)]; 0: there is none.
std::array<double, 6> springs_of(const Case::Table& t, const RelationInput& in,
                                 std::array<std::optional<double>, 6>& prescribed);

// A force and moment on facets as the traction that is equivalent.
Integral traction_on(const RelationInput& in, const Region& facets, const RemoteForce& load);

}  // namespace ritz
