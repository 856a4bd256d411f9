#include "fem/elements/ground_spring.hpp"
#include "fem/launch/register_whole.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterWholeElement<SpringAlong<2>> ground_spring2;
const RegisterWholeElement<SpringAlong<3>> ground_spring3;
const RegisterWholeElement<PressedSpring<2>> pressed_spring2;
const RegisterWholeElement<PressedSpring<3>> pressed_spring3;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
