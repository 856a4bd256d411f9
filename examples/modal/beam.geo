// A steel beam, 1 m long, 0.05 m by 0.05 m. 40 x 2 x 2 hexahedra of 20 nodes.
//   gmsh -3 beam.geo -o beam.msh
Point(1) = {0, 0, 0}; Point(2) = {0, 0.05, 0}; Point(3) = {0, 0.05, 0.05}; Point(4) = {0, 0, 0.05};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 2, 3, 4} = 3;
Transfinite Surface{1};
Recombine Surface{1};
out() = Extrude {1, 0, 0} { Surface{1}; Layers{40}; Recombine; };

Physical Volume("steel") = {out(1)};
Physical Surface("clamp") = {1};
Physical Surface("end") = {out(0)};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
