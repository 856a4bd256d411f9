// Half of a round bar, 53.334 mm long and 6.413 mm in radius, as a section: the axis is y, y = 0 the plane of symmetry,
// where the radius is 1.8 % smaller. Quadrilaterals of 8 nodes, finer where it necks. In m.
//   gmsh -2 bar.geo -o bar.msh
R = 6.413e-3; L = 26.667e-3;
Point(1) = {0, 0, 0}; Point(2) = {0.982 * R, 0, 0}; Point(3) = {R, L, 0}; Point(4) = {0, L, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 7;
Transfinite Curve{2, -4} = 17 Using Progression 1.12;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("bar") = {1};
Physical Curve("axis") = {4};
Physical Curve("middle") = {1};
Physical Curve("grip") = {3};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
