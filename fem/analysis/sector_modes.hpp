// Free vibration of a body of N equal sectors about an axis, from one sector: modes with n waves around, or nodal
// diameters, are u_j = R^j (a cos(n j alpha) + b sin(n j alpha)) in sector j, where R turns by alpha = 2 pi / N. So two
// copies of the sector vibrate, of a and of b, whose sides are joined by real equations (Thomas, Int. J. Numer. Meth.
// Eng. 14, 1979); for n = 0 and n = N/2 one copy does. A body of revolution has them from its meridian
// (fem/forms/with_waves.hpp): a has the components r and y, b the hoop; one copy vibrates.
//
//   model.cyclic: sides of periodic(), or [[periodic]] with a rotation; or ElasticBody::waves
//   for (const SectorModes& m : solve(model, SectorModal{.modal = {{.count = 5}}, .waves = {0, 1, 2}}))
//     m.modes.frequencies[0]   // [Hz]; of pairs each frequency once, which the whole body has twice
#pragma once

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/forecast.hpp"

#include <vector>

namespace ritz {

struct SectorModal {
  Modal modal = {};             // for each number of waves; its state is that of the sector
  std::vector<int> waves = {};  // empty: all of a sector, from 0 to N/2
};

struct SectorModes {
  int waves = 0;
  bool pairs = false;         // the whole body has each mode twice, a quarter of a wave apart
  bool revolved = false;      // of a body of revolution; else pairs have two copies: a, then b, in the vectors
  VibrationModes modes = {};  // without participation and masses

  // a, or b, which is zero where there are no pairs.
  Vector part(std::size_t mode, bool sine) const;
};

// Throws Error: Exit::model where the model has no sides that a rotation joins, or angles that are no part of a turn.
int sector_count(const Model& sector);
// 0 to N/2.
std::vector<int> all_waves(const Model& sector);
// The equations of motions with that many waves: of the sector, or of two copies of it as two fields; of the meridian.
// They refer to the sector.
Model with_waves(const Model& sector, int waves);

// [unknown] The state of a body of revolution under its loads, which have no waves, where modes may begin.
std::vector<double> state_around(const Model& body, const Static& analysis, const Observer& observer = {});

// Throws Error: Exit::model: what modes throw, waves beyond N/2, several fields, masses and springs at reference
// points, internal variables in the state.
void check(const Model& sector, const SectorModal& analysis);
std::vector<SectorModes> solve(const Model& sector, const SectorModal& analysis, const Observer& observer = {},
                               const Prepared& prepared = {});
// The need of two copies, where waves ask for them.
Forecast forecast(const Model& sector, const SectorModal& analysis, const Prepared& prepared = {});

}  // namespace ritz
