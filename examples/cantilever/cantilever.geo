// A beam: 1 m long, 0.05 m wide, 0.1 m high. 20 x 1 x 2 hexahedra of 20 nodes.
//   gmsh -3 cantilever.geo -o cantilever.msh
Point(1) = {0, 0, 0}; Point(2) = {0, 0.05, 0}; Point(3) = {0, 0.05, 0.1}; Point(4) = {0, 0, 0.1};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 2;
Transfinite Curve{2, 4} = 3;
Transfinite Surface{1};
Recombine Surface{1};
out() = Extrude {1, 0, 0} { Surface{1}; Layers{20}; Recombine; };

Physical Volume("steel") = {out(1)};
Physical Surface("clamp") = {1};
Physical Surface("end") = {out(0)};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
