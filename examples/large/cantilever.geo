// A strip 10 m long and 0.1 m thick: 40 x 2 quadrilaterals of 8 nodes.
//   gmsh -2 cantilever.geo -o cantilever.msh
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 10, 0.1};
Transfinite Curve {1, 3} = 41;
Transfinite Curve {2, 4} = 3;
Transfinite Surface {1};
Recombine Surface {1};
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Physical Surface("strip") = {1};
Physical Curve("clamp") = {4};
Physical Curve("tip") = {2};
