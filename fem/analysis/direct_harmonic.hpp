// Harmonic response without modes: at each frequency (K + i w C + i H - w^2 M) u = f is factorised, as one real system
// of the real and the imaginary part. Damping may differ from place to place: loss factors of regions, dashpots. What
// modes and their damping can do is the same to rounding with all modes (fem/analysis/harmonic_response.hpp).
//
//   const DirectHarmonic analysis{.rayleigh = {.mass = 5, .stiffness = 1e-5}};
//   DirectHarmonicSystem system(model, analysis);
//   DirectResponse r = system.solve({10, 20, 30}, {{.load = 0}});      // r.motions[1].of(quantity)
//
// Answers are columns of a ModalSpace, so that whatever reads motions on modes reads them. With a tolerance few
// frequencies are solved, and the others are answers of the equations projected onto these: a rational Krylov space,
// which meets the transfer function at the frequencies that are solved (Grimme, Krylov Projection Methods for Model
// Reduction, 1997). The next one is where the residual is largest; how far the projection was off there turns residuals
// into an estimate of the error.
#pragma once

#include "fem/analysis/harmonic_response.hpp"

#include <array>
#include <memory>
#include <vector>

namespace ritz {

// A part of the elastic forces of these cells is in phase with the velocity.
struct RegionLoss {
  std::vector<Index> cells;
  double factor;
  int field = 0;  // on whose mesh they are
};

// Forces against the velocity, on these nodes of a space in equal parts.
struct Dashpot {
  std::vector<Node> nodes;
  std::array<double, 3> viscosity;  // in total, along the axes [N s/m]
  int field = 0;                    // of the nodes
};

struct DirectHarmonic {
  RayleighDamping rayleigh = {};
  double structural = 0;  // loss factor of all cells
  std::vector<RegionLoss> losses = {};
  std::vector<Dashpot> dashpots = {};
  bool loads_excite = true;  // loads outside of load cases: else they are those of `begin`
  State begin = {};          // about which the body vibrates, as in Modal
  Ranks* ranks = nullptr;    // that solve together
  MessageSink say = {};      // what these have, and send
};

struct DirectResponse {
  ModalSpace space;                     // two columns for each frequency that was solved
  std::vector<HarmonicMotion> motions;  // [frequency]
  int solved = 0;                       // frequencies
  double error = 0;                     // the largest estimated one of the others, relative to their motion
};

// Throws Error: what makes no sense for vibration on modes; masses and springs at reference points.
void check(const Model& model, const DirectHarmonic& analysis);

class DirectHarmonicSystem {
 public:
  // Refers to the model. Over ranks all of them make it and call its functions together.
  DirectHarmonicSystem(const Model& model, const DirectHarmonic& analysis, const Prepared& prepared = {});
  ~DirectHarmonicSystem();

  const ModalSpace& loads() const;  // without columns: names of the loads, and directions of the base
  // Throws Error(ErrorKind::vibration) where the answer is not finite: in a resonance that nothing damps.
  // tolerance: of the estimated error; 0: every frequency is solved.
  DirectResponse solve(const std::vector<double>& frequencies, const std::vector<Excitation>& excitations,
                       double tolerance = 0);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The matrices and the factor of the real system, and the columns of the answers.
Forecast forecast(const Model& model, const DirectHarmonic& analysis, int frequencies, const Prepared& prepared = {});

}  // namespace ritz
