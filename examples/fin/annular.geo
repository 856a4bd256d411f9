// Half of an annular fin around a tube: radius 0.02 ... 0.05 m, half thickness 0.5 mm. 30 x 1 quadrilaterals of 8 nodes.
//   gmsh -2 annular.geo -o annular.msh
Point(1) = {0.02, 0, 0}; Point(2) = {0.05, 0, 0}; Point(3) = {0.05, 0.0005, 0}; Point(4) = {0.02, 0.0005, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 31;
Transfinite Curve{2, 4} = 2;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("fin") = {1};
Physical Curve("tube") = {4};
Physical Curve("side") = {3};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
