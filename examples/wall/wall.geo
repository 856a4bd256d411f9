// A wall of two layers: 0.1 m of brick and 0.05 m of wool. Tetrahedra of 4 nodes.
//   gmsh -3 wall.geo -o wall.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.1, 0.1, 0.1};
Box(2) = {0.1, 0, 0, 0.05, 0.1, 0.1};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
e = 1e-6;
Physical Volume("brick") = {1};
Physical Volume("wool") = {2};
inside() = Surface In BoundingBox{-e, -e, -e, e, 0.1 + e, 0.1 + e};
outside() = Surface In BoundingBox{0.15 - e, -e, -e, 0.15 + e, 0.1 + e, 0.1 + e};
joint() = Surface In BoundingBox{0.1 - e, -e, -e, 0.1 + e, 0.1 + e, 0.1 + e};
Physical Surface("inside") = {inside()};
Physical Surface("outside") = {outside()};
Physical Surface("joint") = {joint()};

Mesh.MeshSizeMin = 0.03;
Mesh.MeshSizeMax = 0.03;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 0;
