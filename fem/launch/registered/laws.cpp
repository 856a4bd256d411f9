// Kernels of the laws of materials, for all kinematics and cells.
#include "fem/materials/laws.hpp"
#include "fem/launch/law_kernels.hpp"

#include <tuple>

namespace ritz::RITZ_BACKEND {
namespace {

template <class List>
struct RegisterLaws;
template <Law... L>
struct RegisterLaws<LawList<L...>> {
  std::tuple<RegisterLaw<L>...> laws;
};
const RegisterLaws<BuiltInLaws> laws;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
