#include "fem/forms/volume_pressure.hpp"
#include "fem/launch/all_cells.hpp"
#include "fem/launch/register_mixed.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterMixedForm<VolumePressure<3>> solids;
const RegisterMixedForm<VolumePressure<2>> planes;
const RegisterMixedForm<VolumePressure<2, true>> revolutions;
const RegisterForm<PressureSmoothing<3>, AnyElement<3>> smooth_solids;
const RegisterForm<PressureSmoothing<2>, AnyElement<2>> smooth_planes;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
