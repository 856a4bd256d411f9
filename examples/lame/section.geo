// A thick tube, cut along its axis: radius 0.1 ... 0.2 m, 0.05 m high. 8 x 2 quadrilaterals of 8 nodes.
//   gmsh -2 section.geo -o section.msh
Point(1) = {0.1, 0, 0}; Point(2) = {0.2, 0, 0}; Point(3) = {0.2, 0.05, 0}; Point(4) = {0.1, 0.05, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 9;
Transfinite Curve{2, 4} = 3;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("tube") = {1};
Physical Curve("inside") = {4};
Physical Curve("bottom") = {1};
Physical Curve("top") = {3};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
