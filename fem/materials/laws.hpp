// All laws of materials that are built in; each says its parameters, units and sources.
#pragma once

#include "fem/materials/anisotropic.hpp"
#include "fem/materials/arruda_boyce.hpp"
#include "fem/materials/cap.hpp"
#include "fem/materials/chaboche.hpp"
#include "fem/materials/drucker_prager.hpp"
#include "fem/materials/hill.hpp"
#include "fem/materials/hyperfoam.hpp"
#include "fem/materials/j2.hpp"
#include "fem/materials/j2_rate.hpp"
#include "fem/materials/linear_elastic.hpp"
#include "fem/materials/mohr_coulomb.hpp"
#include "fem/materials/mooney_rivlin.hpp"
#include "fem/materials/neo_hooke.hpp"
#include "fem/materials/norton.hpp"
#include "fem/materials/norton_strain.hpp"
#include "fem/materials/ogden.hpp"
#include "fem/materials/orthotropic.hpp"
#include "fem/materials/polynomial.hpp"
#include "fem/materials/prony.hpp"
#include "fem/materials/unilateral.hpp"
#include "fem/materials/yeoh.hpp"

namespace ritz {

template <Law... L>
struct LawList {};

// One row a law: kernels, names and tests follow.
using BuiltInLaws = LawList<LinearElastic, Orthotropic, Anisotropic, NoTension, NoCompression, NeoHooke, MooneyRivlin,
                            Polynomial, Yeoh, ArrudaBoyce, Ogden, Hyperfoam, J2, J2Rate, Chaboche, Hill, DruckerPrager,
                            MohrCoulomb, Cap, Norton, NortonStrain, Prony>;

}  // namespace ritz
