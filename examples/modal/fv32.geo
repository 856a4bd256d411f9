// FV32: a membrane 10 m long that tapers from 5 m to 1 m. 24 x 12 quadrilaterals of 8 nodes.
//   gmsh -2 fv32.geo -o fv32.msh
Point(1) = {0, -2.5, 0}; Point(2) = {10, -0.5, 0}; Point(3) = {10, 0.5, 0}; Point(4) = {0, 2.5, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 25;
Transfinite Curve{2, 4} = 13;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("membrane") = {1};
Physical Curve("wall") = {4};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
