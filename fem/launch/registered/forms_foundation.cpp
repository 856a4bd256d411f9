#include "fem/forms/foundation.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One set of kernels for all facets: they are few beside the cells.
template <Form F>
using OnFacets = RegisterForm<F, AnyElement<F::dimension - 1>>;

const OnFacets<Winkler<3>> foundation3;
const OnFacets<Winkler<2>> foundation2;
const OnFacets<PressedGround<3>> pressed_foundation3;
const OnFacets<PressedGround<2>> pressed_foundation2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
