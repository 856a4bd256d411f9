#include "mesh/generators.hpp"

#include <gtest/gtest.h>

using namespace ritz;

TEST(Box, HasSixTetrahedraPerCube) { EXPECT_EQ(box(3, 2, 4, {1, 1, 1}, CellKind::tet4).cell_count(), 144); }
