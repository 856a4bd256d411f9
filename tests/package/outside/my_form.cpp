#include "anisotropic_diffusion.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
const RegisterForm<AnisotropicDiffusion, Cell<4, 3>, Cell<8, 3>> anisotropic_diffusion;  // tet4, hex8
}
