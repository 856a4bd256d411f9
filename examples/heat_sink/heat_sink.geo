// A heat sink: base plate with nine tapered fins and a chip underneath. Millimetres.
//   gmsh -3 heat_sink.geo -o heat_sink.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 50, 50, 4};
fins() = {};
For i In {0:8}
  x = 1 + i * 5.75;
  p = newp;
  Point(p) = {x, 0, 4}; Point(p + 1) = {x + 2, 0, 4}; Point(p + 2) = {x + 1.4, 0, 24}; Point(p + 3) = {x + 0.6, 0, 24};
  l = newl;
  Line(l) = {p, p + 1}; Line(l + 1) = {p + 1, p + 2}; Line(l + 2) = {p + 2, p + 3}; Line(l + 3) = {p + 3, p};
  c = newll; Curve Loop(c) = {l, l + 1, l + 2, l + 3}; s = news; Plane Surface(s) = {c};
  out() = Extrude {0, 50, 0} { Surface{s}; };
  fins() += out(1);
EndFor
BooleanUnion(50) = { Volume{1}; Delete; }{ Volume{fins()}; Delete; };
Rectangle(2000) = {17, 17, 0, 16, 16};
BooleanFragments{ Volume{50}; Delete; }{ Surface{2000}; Delete; }

e = 0.05;
chip() = Surface In BoundingBox{17 - e, 17 - e, -e, 33 + e, 33 + e, e};
bottom() = Surface In BoundingBox{-e, -e, -e, 50 + e, 50 + e, e};
all() = Boundary{ Volume{:}; };
air() = Abs(all());
air() -= {bottom()};
Physical Volume("aluminium") = {Volume{:}};
Physical Surface("chip") = {chip()};
Physical Surface("air") = {air()};

Mesh.MeshSizeMin = 0.8;
Mesh.MeshSizeMax = 2.6;
Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
