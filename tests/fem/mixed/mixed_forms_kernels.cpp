#include "fem/add_form.hpp"
#include "tests/fem/mixed/faulty_mixed_forms.hpp"
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
const RegisterMixedForm<test::BorderOfFacets<2>> border2;
const RegisterMixedForm<test::BorderOfFacets<3>> border3;
const RegisterMixedForm<test::FaultyPair<test::MixedFault::none>> sound;
const RegisterMixedForm<test::FaultyPair<test::MixedFault::not_symmetric>> not_symmetric;
const RegisterMixedForm<test::FaultyPair<test::MixedFault::not_linear>> not_linear;
const RegisterMixedForm<test::FaultyPair<test::MixedFault::wrong_tangent>> wrong_tangent;
const RegisterMixedForm<test::FaultyPair<test::MixedFault::not_finite>> not_finite;
const RegisterMixedForm<test::FaultyPair<test::MixedFault::hidden_coupling>> hidden_coupling;
const RegisterMixedForm<test::FaultyPair<test::MixedFault::reads_time>> reads_time;
const RegisterMixedForm<test::Plate<false>> plate;
const RegisterMixedForm<test::Plate<true>> plate_mass;
const RegisterMixedForm<test::Rubber> rubber;
const AddForm<test::Chain> chain;  // as a plugin does

}  // namespace
}  // namespace ritz::RITZ_BACKEND
