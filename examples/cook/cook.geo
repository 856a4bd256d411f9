// Cook's membrane: a swept panel, 32 x 32 quadrilaterals of 9 nodes.
//   gmsh -2 cook.geo -o cook.msh
Point(1) = {0, 0, 0}; Point(2) = {48, 44, 0}; Point(3) = {48, 60, 0}; Point(4) = {0, 44, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 2, 3, 4} = 33;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("panel") = {1};
Physical Curve("left") = {4};
Physical Curve("right") = {2};

Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
