// Loads of fields that are neither scalars nor displacements: several unknowns that are solved for together.
#include "fem/forms/loads.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

template <int C, int G>
struct Loads {
  RegisterForm<Load<C, G, 0>, AnyElement<G>> on_cells;
  RegisterForm<Load<C, G, 1>, AnyElement<G - 1>> on_facets;
};

const Loads<2, 3> two;
const Loads<4, 3> four;
const Loads<5, 3> five;
const Loads<6, 3> six;
const Loads<3, 2> plane_three;
const Loads<4, 2> plane_four;
const Loads<5, 2> plane_five;
const Loads<6, 2> plane_six;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
