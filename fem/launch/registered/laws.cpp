// One row a law: kernels for all kinematics and cells.
#include "fem/launch/law_kernels.hpp"
#include "fem/materials/arruda_boyce.hpp"
#include "fem/materials/chaboche.hpp"
#include "fem/materials/drucker_prager.hpp"
#include "fem/materials/hill.hpp"
#include "fem/materials/hyperfoam.hpp"
#include "fem/materials/j2.hpp"
#include "fem/materials/linear_elastic.hpp"
#include "fem/materials/mooney_rivlin.hpp"
#include "fem/materials/neo_hooke.hpp"
#include "fem/materials/norton.hpp"
#include "fem/materials/ogden.hpp"
#include "fem/materials/prony.hpp"
#include "fem/materials/yeoh.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterLaw<LinearElastic> linear_elastic;
const RegisterLaw<NeoHooke> neo_hooke;
const RegisterLaw<MooneyRivlin> mooney_rivlin;
const RegisterLaw<Yeoh> yeoh;
const RegisterLaw<ArrudaBoyce> arruda_boyce;
const RegisterLaw<Ogden> ogden;
const RegisterLaw<Hyperfoam> hyperfoam;
const RegisterLaw<J2> j2;
const RegisterLaw<Chaboche> chaboche;
const RegisterLaw<Hill> hill;
const RegisterLaw<DruckerPrager> drucker_prager;
const RegisterLaw<Norton> norton;
const RegisterLaw<Prony> prony;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
