// A sixth of a ring, 0.1 to 0.4 m, with different nodes on its two cuts.
//   gmsh -2 sector.geo -o sector.msh
SetFactory("OpenCASCADE");
a = 0; b = Pi / 3;
Point(1) = {0.1, 0, 0, 0.012}; Point(2) = {0.4, 0, 0, 0.03}; Point(3) = {0.4 * Cos(b), 0.4 * Sin(b), 0, 0.04};
Point(4) = {0.1 * Cos(b), 0.1 * Sin(b), 0, 0.016}; Point(5) = {0, 0, 0};
Line(1) = {1, 2}; Circle(2) = {2, 5, 3}; Line(3) = {3, 4}; Circle(4) = {4, 5, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Physical Surface("steel") = {1};
Physical Curve("first_cut") = {1}; Physical Curve("second_cut") = {3}; Physical Curve("bore") = {4};
Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
