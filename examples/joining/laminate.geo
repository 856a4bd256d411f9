// A cell of a laminate, 1 mm in every direction: a stiff layer of 0.25 mm on a soft one.
//   gmsh -3 laminate.geo -o laminate.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1e-3, 1e-3, 0.25e-3};
Box(2) = {0, 0, 0.25e-3, 1e-3, 1e-3, 0.75e-3};
Coherence;
MeshSize{ PointsOf{ Volume{:}; } } = 0.25e-3;
e = 1e-7; h = 1e-3;
Physical Volume("stiff") = {1}; Physical Volume("soft") = {2};
Physical Surface("x0") = Surface In BoundingBox {-e, -e, -e, e, h + e, h + e};
Physical Surface("x1") = Surface In BoundingBox {h - e, -e, -e, h + e, h + e, h + e};
Physical Surface("y0") = Surface In BoundingBox {-e, -e, -e, h + e, e, h + e};
Physical Surface("y1") = Surface In BoundingBox {-e, h - e, -e, h + e, h + e, h + e};
Physical Surface("z0") = Surface In BoundingBox {-e, -e, -e, h + e, h + e, e};
Physical Surface("z1") = Surface In BoundingBox {-e, -e, h - e, h + e, h + e, h + e};
Physical Point("corner") = Point In BoundingBox {-e, -e, -e, e, e, e};
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
