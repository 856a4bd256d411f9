// The shapes of cell that built-in forms are compiled for, by number of nodes and reference dimension, and the kernels
// for any other element. On CPUs these are as fast at the median of quadratic cells and lose 4 to 15 % of an assembly
// on linear solids (Diffusion, Elasticity, Mass; EPYC, AVX-512), so only linear cells have kernels of their own there.
#pragma once

#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {

#ifdef __CUDACC__
template <Form F>
using RegisterOnSolids = RegisterForm<F, Cell<4, 3>, Cell<10, 3>, Cell<8, 3>, Cell<20, 3>, Cell<27, 3>, Cell<6, 3>,
                                      Cell<15, 3>, Cell<18, 3>, Cell<5, 3>, Cell<13, 3>, Cell<14, 3>, AnyElement<3>>;
// Plane cells; also the facets of solids.
template <Form F>
using RegisterOnPlanes = RegisterForm<F, Cell<3, 2>, Cell<6, 2>, Cell<4, 2>, Cell<8, 2>, Cell<9, 2>, AnyElement<2>>;
template <Form F>
using RegisterOnLines = RegisterForm<F, Cell<2, 1>, Cell<3, 1>, AnyElement<1>>;
#else
template <Form F>
using RegisterOnSolids = RegisterForm<F, Cell<4, 3>, Cell<8, 3>, AnyElement<3>>;
template <Form F>
using RegisterOnPlanes = RegisterForm<F, Cell<3, 2>, Cell<4, 2>, AnyElement<2>>;
template <Form F>
using RegisterOnLines = RegisterForm<F, AnyElement<1>>;
#endif

}  // namespace ritz::RITZ_BACKEND
