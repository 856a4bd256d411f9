// A unit cube, 2 x 2 x 2 hexahedra.
//   gmsh -3 block.geo -o block.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Transfinite Curve "*" = 3;
Transfinite Surface "*";
Recombine Surface "*";
Transfinite Volume "*";
Physical Volume("block") = {1};
Physical Surface("x0") = {1};
Physical Surface("x1") = {2};
Physical Surface("y0") = {3};
Physical Surface("y1") = {4};
Physical Surface("z0") = {5};
Mesh.MshFileVersion = 4.1;
