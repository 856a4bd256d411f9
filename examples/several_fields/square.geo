// The unit square in two halves. Metres.
//   gmsh -2 square.geo -o square.msh                     (triangles)
//   gmsh -2 square.geo -setnumber quads 1 -o cavity.msh  (squares)
SetFactory("Built-in");
DefineConstant[quads = {0, Name "squares"}];
n = quads ? 16 : 8;  // cells along half a side
For i In {0:2}
  Point(1 + i) = {i / 2, 0, 0};
  Point(11 + i) = {i / 2, 1, 0};
EndFor
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 13}; Line(4) = {13, 12}; Line(5) = {12, 11}; Line(6) = {11, 1}; Line(7) = {2, 12};
Curve Loop(1) = {1, 7, 5, 6}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 3, 4, -7}; Plane Surface(2) = {2};
Transfinite Curve{1, 2, 4, 5} = n + 1;
Transfinite Curve{3, 6, 7} = 2 * n + 1;
If (quads)
  Transfinite Surface{1, 2};
  Recombine Surface{1, 2};
EndIf
Physical Surface("left_half") = {1};
Physical Surface("right_half") = {2};
Physical Curve("bottom") = {1, 2};
Physical Curve("right") = {3};
Physical Curve("top") = {4, 5};
Physical Curve("left") = {6};
Physical Point("corner") = {1};
Mesh.MshFileVersion = 4.1;
