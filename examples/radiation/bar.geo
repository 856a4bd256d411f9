// NAFEMS T2: a bar of 0.1 m, hot at x = 0, radiating at x = 0.1 m. 10 x 1 quadrilaterals; the thickness is 1 m.
//   gmsh -2 bar.geo -o bar.msh
Point(1) = {0, 0, 0}; Point(2) = {0.1, 0, 0}; Point(3) = {0.1, 0.01, 0}; Point(4) = {0, 0.01, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 11;
Transfinite Curve{2, 4} = 2;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("bar") = {1};
Physical Curve("hot") = {4};
Physical Curve("end") = {2};

Mesh.MshFileVersion = 4.1;
