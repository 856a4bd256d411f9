// NAFEMS FV16: a thin square plate of 10 m, fixed along the edge x = 0. 16 x 16 quadrilaterals.
//   gmsh -2 fv16.geo -o fv16.msh
Point(1) = {0, 0, 0}; Point(2) = {10, 0, 0}; Point(3) = {10, 10, 0}; Point(4) = {0, 10, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 2, 3, 4} = 17;
Transfinite Surface {1};
Recombine Surface {1};
Physical Surface("plate") = {1};
Physical Curve("wall") = {4};
