// The public face of Ritz: meshes, models of physics, analyses, solvers, results. Programs include this one header;
// each part has a header of its own that says more.
//
//   find_package(ritz REQUIRED)
//   target_link_libraries(my_program PRIVATE ritz::fem ritz::io)
#pragma once

#include "device/device.hpp"
#include "device/error.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/heat.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/stokes.hpp"
#include "fem/forms/varying.hpp"
#include "fem/operator/mixed_constraints.hpp"
#include "fem/operator/mixed_operator.hpp"
#include "fem/operator/operator.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/frames.hpp"
#include "fem/physics/heat_conduction.hpp"
#include "fem/results/field_norms.hpp"
#include "fem/space/constraints.hpp"
#include "fem/space/function_space.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "mesh/generators.hpp"
#include "mesh/mesh.hpp"
#include "solvers/algebra/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/linear/block_preconditioner.hpp"
#include "solvers/linear/linear_solver.hpp"
