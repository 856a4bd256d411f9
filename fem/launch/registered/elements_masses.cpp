#include "fem/elements/mass.hpp"
#include "fem/launch/register_whole.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterWholeElement<LineMass> line_mass;
const RegisterWholeElement<BeamMass> beam_mass;
const RegisterWholeElement<SurfaceMass<CellKind::quad4, 3>> surface_mass3;
const RegisterWholeElement<SurfaceMass<CellKind::quad4, 6>> surface_mass6;
const RegisterWholeElement<SurfaceMass<CellKind::tri3, 3>> triangle_mass3;
const RegisterWholeElement<SurfaceMass<CellKind::tri3, 6>> triangle_mass6;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
