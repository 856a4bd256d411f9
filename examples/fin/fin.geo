// Half of a straight fin, 0 <= y <= 0.01 m, 0.05 m long; y = 0 is its middle plane. 40 x 8 quadrilaterals of 8 nodes.
//   gmsh -2 fin.geo -o fin.msh
Point(1) = {0, 0, 0}; Point(2) = {0.05, 0, 0}; Point(3) = {0.05, 0.01, 0}; Point(4) = {0, 0.01, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 41;
Transfinite Curve{2, 4} = 9;
Transfinite Surface{1};
Recombine Surface{1};

Physical Surface("fin") = {1};
Physical Curve("base") = {4};
Physical Curve("side") = {3};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
