// A welded frame with a plate on a solid foot: the columns and the plate stand on the top face, their nodes are none of
// its nodes.     gmsh -3 -format msh41 -o welded.msh welded.geo
SetFactory("OpenCASCADE");
Box(1) = {-1, -0.3, -0.4, 2, 0.6, 0.4};
Point(101) = {-0.7, 0, 0};
Point(102) = {-0.7, 0, 1.2};
Point(103) = {0.7, 0, 1.2};
Point(104) = {0.7, 0, 0};
Line(101) = {101, 102};
Line(102) = {102, 103};
Line(103) = {103, 104};
Line(104) = {104, 101};
Curve Loop(101) = {101, 102, 103, 104};
Plane Surface(101) = {101};
Transfinite Curve {101, 103} = 13;
Transfinite Curve {102, 104} = 15;
Transfinite Surface {101};
Recombine Surface {101};
Field[1] = Distance;             // the foot is fine where the columns press into it
Field[1].PointsList = {101, 104};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = 0.025;
Field[2].SizeMax = 0.15;
Field[2].DistMin = 0.06;
Field[2].DistMax = 0.45;
Background Field = 2;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeExtendFromBoundary = 0;
Physical Volume("foot") = {1};
ground() = Surface In BoundingBox {-1.1, -0.4, -0.41, 1.1, 0.4, -0.39};
Physical Surface("ground") = {ground()};
Physical Surface("plate") = {101};
Physical Curve("columns") = {101, 103};
Physical Curve("girder") = {102};
Physical Point("corner") = {103};
