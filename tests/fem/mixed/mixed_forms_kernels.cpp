#include "fem/add_form.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterMixedForm<test::Everything<2>> everything2;
const RegisterMixedForm<test::Everything<3>> everything3;
const AddForm<test::Chain> chain;  // as a plugin does

}  // namespace
}  // namespace ritz::RITZ_BACKEND
