// Harmonic response of a body of N equal sectors about an axis, from one sector, to loads that go around: on sector j
// they are those of the sector, turned by R^j, with the phase j alpha times the engine order. So the motion of sector j
// is R^j u e^(i n j alpha), of complex u: in the terms of sector_modes.hpp a = u and b = i u. Two real copies of the
// sector answer, of a to the loads and of b to the same loads a quarter of a period ahead; the motion of the first one
// is u. More waves than N/2 are those of the harmonic index that N sectors see, which may go backwards.
//
//   const EngineOrder order = engine_order(sector, 4);
//   const ModalSpace space = solve(sector, ModalBasis{.modal = {{.count = 10}}}, order);
//   HarmonicMotion m = harmonic_response(space, {.excitations = around({{.load = 0}}, space, order)}, 120);
//   space.motion(...)    // of the sector 0
#pragma once

#include "fem/analysis/modal_space.hpp"

#include <vector>

namespace ritz {

struct EngineOrder {
  int order = 0;
  int waves = 0;          // the harmonic index, from 0 to N/2
  bool pair = false;      // two copies answer; else one: all sectors are in phase, or neighbours opposed
  bool backward = false;  // the waves go against the order of the sectors
};

// Throws Error: Exit::model for a negative order, and what sector_count() throws.
EngineOrder engine_order(const Model& sector, int order);

// Columns of the motion of the sector 0. Of pairs each mode is there twice, a quarter of a wave apart, and the loads of
// load_names in `loads` twice, of a and of b. No direction of a base. Throws what SectorModal throws, and Error:
// Exit::model for residual vectors of a free body.
ModalSpace solve(const Model& sector, const ModalBasis& basis, const EngineOrder& order, const Observer& observer = {},
                 const Prepared& prepared = {});
void check(const Model& sector, const ModalBasis& basis, const EngineOrder& order);
Forecast forecast(const Model& sector, const ModalBasis& basis, const EngineOrder& order,
                  const Prepared& prepared = {});

// The loads of sector 0 as those that go around.
std::vector<Excitation> around(std::vector<Excitation> of_sector, const ModalSpace& space, const EngineOrder& order);

}  // namespace ritz
