// Damped and gyroscopic vibration: (lambda^2 M + lambda (C + G) + K) u = 0, projected onto a modal space (Meirovitch,
// Principles and Techniques of Vibrations, 1997, section 4.9; Genta, Dynamics of Rotating Systems, 2005). Dashpots join
// modes; discs, turning frames and a rotation of the model (Model::turning) split them. Residual vectors of dashpots
// make the space hold what they press.
//
//   ComplexModal analysis{.damping = {.ratio = 0.01}, .dashpots = {{nodes, {0, 0, 800}}}};
//   const ModalSpace space = solve(model, complex_basis(model, {.modal = {{.count = 20}}}, analysis));
//   for (const ComplexMode& m : complex_modes(model, space, analysis)) m.frequency(), m.ratio();
#pragma once

#include "fem/analysis/direct_harmonic.hpp"
#include "fem/analysis/modal_space.hpp"

#include <complex>
#include <optional>
#include <vector>

namespace ritz {

// Turns at a constant speed about an axis, in a frame that stands still: its moment of momentum resists tilting.
struct SpinningDisc {
  std::vector<Node> nodes;  // of a space, which have rotations; the inertia is in equal parts on them
  double polar = 0;         // moment of inertia about the axis, in total [kg m^2]
  Point axis{0, 0, 1};
  double speed = 0;  // by the right-hand rule [rad/s]
  int field = 0;     // of the nodes
};

// A frame that turns with the body: Coriolis' forces, and centrifugal ones that grow with the displacement.
struct TurningFrame {
  Point axis{0, 0, 1};
  double speed = 0;  // [rad/s]
};

struct ComplexModal {
  ModalDamping damping = {};  // the structural part is that of a viscous force at the resonance of each column
  std::vector<Dashpot> dashpots = {};
  std::vector<SpinningDisc> discs = {};
  std::optional<TurningFrame> frame = {};
};

struct ComplexMode {
  std::complex<double> value;  // lambda [1/s], not below the real axis
  std::vector<std::complex<double>>
      q;  // [column]: u = Re(sum of columns times q e^(lambda t)); the largest part is real

  double frequency() const;  // of the damped vibration [Hz]
  double ratio() const;      // of the critical damping, 1 where nothing vibrates; below 0 it grows; 0 of rigid motions
};

// The basis with the directions of dashpots among the forces whose static answers it has.
ModalBasis complex_basis(const Model& model, ModalBasis basis, const ComplexModal& analysis);
// The first ones, as many as the space has modes, by the size of lambda. Throws Error: Exit::model for discs at nodes
// without rotations, and for a turning frame of several fields, beams, shells and bodies of two dimensions.
std::vector<ComplexMode> complex_modes(const Model& model, const ModalSpace& space, const ComplexModal& analysis);
void check(const Model& model, const ComplexModal& analysis);

}  // namespace ritz
