#include "fem/add_form.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterMixedForm<test::Everything<2>> everything2;
const RegisterMixedForm<test::Everything<3>> everything3;
const RegisterMixedForm<test::WaveCurrent<2>> wave_current2;
const RegisterMixedForm<test::WaveCurrent<3>> wave_current3;
const RegisterMixedForm<test::VectorBeside<2, Family::facet>> facets2;
const RegisterMixedForm<test::VectorBeside<3, Family::facet>> facets3;
const RegisterMixedForm<test::VectorBeside<2, Family::edge>> edges2;
const RegisterMixedForm<test::VectorBeside<3, Family::edge>> edges3;
const AddForm<test::Chain> chain;  // as a plugin does

}  // namespace
}  // namespace ritz::RITZ_BACKEND
