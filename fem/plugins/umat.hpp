// A user subroutine UMAT of Abaqus as a law of materials: its Fortran source is compiled by gfortran when it is first
// used, and runs on a CPU (Abaqus User Subroutines Guide, UMAT and the utility routines).
//
//   ElasticMaterial steel{.law = umat_law("steel.f", {.constants = {210e9, 0.3}, .states = 7}, device)};
//
// It takes STRESS, STATEV, STRAN, DSTRAN, TIME, DTIME, TEMP, DTEMP, PROPS and the sizes; NTENS is 6 in space (11 22
// 33 12 13 23), 4 in plane strain and of revolution, 3 in plane stress (11 22 12, where it finds the stress itself). It
// leaves STRESS, STATEV and DDSDDE, and PNEWDT below 1 where the increment shall be shorter. KINC is 1 in the first
// increment of a point. Where displacements are large, the strain is logarithmic and turns with the material: DROT is
// the identity, DFGRD0 and DFGRD1 are the stretches, STRESS is Cauchy's in that frame and DDSDDE the derivative of J
// times it, over J. NOEL, NPT, KSTEP, LAYER, KSPT and CELENT are 1, COORDS 0; energies, heat and SDVINI are left out.
// STDB_ABQERR, XIT, ROTSIG, SINV, SPRINC and SPRIND exist; messages go to standard error, each text once.
#pragma once

#include "fem/physics/material_law.hpp"

#include <functional>

namespace ritz {

struct UmatOptions {
  std::vector<double> constants = {};  // PROPS
  int states = 0;                      // NSTATV; they begin as 0
  bool symmetric = true;               // DDSDDE is
  bool in_time = false;                // the time of an increment enters; else DTIME is 1 where increments have none
};

// Throws Error: Exit::input where there is no such file, it does not compile or has no UMAT; Exit::environment without
// a compiler; Exit::model on a GPU.
MaterialLaw umat_law(const std::string& file, const UmatOptions& options, const Device& device,
                     const std::function<void(const std::string&)>& say = {});

}  // namespace ritz
