// NAFEMS T3: a bar of 0.1 m, drawn 0.01 m high. 20 x 2 quadrilaterals of 8 nodes.
//   gmsh -2 nafems_t3.geo -o nafems_t3.msh
Point(1) = {0, 0, 0}; Point(2) = {0.1, 0, 0}; Point(3) = {0.1, 0.01, 0}; Point(4) = {0, 0.01, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 21;
Transfinite Curve{2, 4} = 3;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("bar") = {1};
Physical Curve("cold") = {4};
Physical Curve("heated") = {2};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
