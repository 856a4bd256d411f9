// Keys of other programs and texts: the answer names the table that does what the key asks for.
#include "io/case/known_physics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace ritz {
namespace {

TEST(KnownPhysics, NamesTheTableThatHasIt) {
  for (const auto& [key, table] : {std::pair{"moment", "'moment' of [[force]]"},
                                   {"symmetry", "[[displacement]] with normal = 0"},
                                   {"mass", "'mass' of [[rigid]] and [[coupling]]"},
                                   {"cyclic_symmetry", "[[periodic]]"},
                                   {"latent_heat", "specific_heat"},
                                   {"psd", "[harmonic]"},
                                   {"line", "[[path]]"},
                                   {"coil", "curl_curl3"},
                                   {"library", "ritz materials"},
                                   {"voltage", "ritz-heat"},
                                   {"base_excitation", "[harmonic]"},
                                   {"steady_state_dynamics", "[harmonic]"},
                                   {"layer", "layered shells are not in Ritz"},
                                   {"failure", "failure indices"},
                                   {"path", "linearise = true"},
                                   {"contact_pair", "[[tie]]"},
                                   {"preload", "docs/recipes.md"},
                                   {"buckling_modes", "[buckling]"},
                                   {"steps", "[[step]]"},
                                   {"nonlinear", "[newton]"},
                                   {"topology_optimisation", "ritz.Model"},
                                   {"surface_load", "[[pressure]]"},
                                   {"hardening_curve", "law = \"j2\""},
                                   {"pressure", "ritz-elasticity"}}) {
    const std::optional<KnownPhysics> known = known_physics(key, {"mesh", "material", "force", "rigid"});
    ASSERT_TRUE(known) << key;
    EXPECT_THAT(known->answer, ::testing::HasSubstr(table)) << key;
  }
}

TEST(KnownPhysics, IsNotTakenForAKeyThatIsHere) { EXPECT_FALSE(known_physics("damping_ratio", {"damping"})); }

}  // namespace
}  // namespace ritz
