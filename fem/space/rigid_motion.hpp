// Checks that the model is supported. Before a solve, every connected part of the mesh is tested for rigid motions that
// its constraints leave free; a free one would make the matrix singular and is an error that names the motion in words.
#pragma once

#include "fem/space/constraints.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

enum class RigidModes {
  solid,         // 3 translations, 3 rotations; also of beams and shells, whose rotations may be held themselves
  plane,         // 2 translations, 1 rotation
  axisymmetric,  // 1 translation along the axis
  // A body of revolution in the components r, y and hoop, which vary as fem/forms/with_waves.hpp says.
  revolution,  // without waves: 1 translation along the axis, 1 rotation about it
  one_wave,    // with one: 1 translation across the axis, 1 rotation about a line across it
  scalar,      // 1 constant (temperature)
};

// The free motions of one part, in words: "translation along x", "rotation about the axis through (0, 0, 1) along z".
// [motion][unknown] Rigid motions that the ground alone holds (motions_held_by_ground); null: none.
using GroundMotions = std::shared_ptr<const std::vector<std::vector<double>>>;

struct FreePart {
  Index part;  // number of the connected part
  Index cell_count;
  Index first_cell;
  std::vector<std::string> motions;
};

// held [unknown] 1: prescribed, or held elastically (convection holds the temperature, springs displacements). A motion
// of parts that equations join is told once, of the first of them. gone [cell] 1: the cell is not there, and holds
// nothing; empty: all are.
std::vector<FreePart> free_parts(const FunctionSpace& space, std::span<const std::uint8_t> held,
                                 const std::vector<LinearEquations>& equations, RigidModes modes,
                                 std::span<const std::uint8_t> gone = {});
// The same of displacements and rotations on several meshes: unknowns of one space after the other. acting [unknown] 0:
// no element acts there, as on rotations where bars meet.
std::vector<FreePart> free_parts(const Spaces& spaces, std::span<const std::uint8_t> held,
                                 std::span<const std::uint8_t> acting, const std::vector<LinearEquations>& equations,
                                 RigidModes modes);
inline std::vector<FreePart> free_parts(const Constraints& constraints, RigidModes modes) {
  return free_parts(constraints.space(), constraints.host_mask(), constraints.equations(), modes);
}

// The same as fields: [motion][unknown], of the size of 1.
std::vector<std::vector<double>> free_motions(const FunctionSpace& space, std::span<const std::uint8_t> held,
                                              const std::vector<LinearEquations>& equations, RigidModes modes,
                                              std::span<const std::uint8_t> gone = {});
std::vector<std::vector<double>> free_motions(const Spaces& spaces, std::span<const std::uint8_t> held,
                                              std::span<const std::uint8_t> acting,
                                              const std::vector<LinearEquations>& equations, RigidModes modes);

// Throws Error: Exit::model when there are free parts.
void check_held(const FunctionSpace& space, std::span<const std::uint8_t> held,
                const std::vector<LinearEquations>& equations, RigidModes modes,
                std::span<const std::uint8_t> gone = {});
void check_held(const std::vector<FreePart>& free, RigidModes modes);

}  // namespace ritz
