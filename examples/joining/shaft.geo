// A round shaft: radius 0.05 m, length 0.5 m.
//   gmsh -3 shaft.geo -o shaft.msh
SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 0.05};
out() = Extrude {0, 0, 0.5} { Surface{1}; Layers{8}; Recombine; };
MeshSize{ PointsOf{ Surface{1}; } } = 0.025;
Physical Volume("steel") = {out(1)};
Physical Surface("clamp") = {1};
Physical Surface("end") = {out(0)};
Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
