#include "fem/elements/bar.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/plane_node.hpp"
#include "fem/launch/register_whole.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterWholeElement<Bar> bar;
const RegisterWholeElement<Spring> spring;
const RegisterWholeElement<Beam> beam;
const RegisterWholeElement<PlaneNodeSpring> node_spring2;
const RegisterWholeElement<PlaneNodeLoad> node_load2;
const RegisterWholeElement<NodeSpring<3>> node_spring3;
const RegisterWholeElement<NodeSpring<6>> node_spring6;
const RegisterWholeElement<NodeLoad<3>> node_load3;
const RegisterWholeElement<NodeLoad<6>> node_load6;
const RegisterWholeElement<LineLoad<3>> line_load3;
const RegisterWholeElement<LineLoad<6>> line_load6;
const RegisterWholeElement<OffsetLineLoad> offset_line_load;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
