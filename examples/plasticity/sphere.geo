// An octant of a thick-walled sphere: radius 0.1 ... 0.2 m. Three bricks of 27-node hexahedra meet on the diagonal.
//   gmsh -3 sphere.geo -o sphere.msh
layers = 6; cuts = 3;
Point(1) = {0, 0, 0};
For side In {0:1}
  r = 0.1 * (1 + side);
  p = 10 + 20 * side;                                        // corners, middles of edges, centre
  Point(p + 1) = {r, 0, 0}; Point(p + 2) = {0, r, 0}; Point(p + 3) = {0, 0, r};
  h = r / Sqrt(2);
  Point(p + 4) = {h, h, 0}; Point(p + 5) = {0, h, h}; Point(p + 6) = {h, 0, h};
  m = r / Sqrt(3);
  Point(p + 7) = {m, m, m};
  Circle(p + 1) = {p + 1, 1, p + 4}; Circle(p + 2) = {p + 4, 1, p + 2};
  Circle(p + 3) = {p + 2, 1, p + 5}; Circle(p + 4) = {p + 5, 1, p + 3};
  Circle(p + 5) = {p + 3, 1, p + 6}; Circle(p + 6) = {p + 6, 1, p + 1};
  Circle(p + 7) = {p + 4, 1, p + 7}; Circle(p + 8) = {p + 5, 1, p + 7}; Circle(p + 9) = {p + 6, 1, p + 7};
  Curve Loop(p + 1) = {p + 1, p + 7, -(p + 9), p + 6};       // around x
  Curve Loop(p + 2) = {p + 2, p + 3, p + 8, -(p + 7)};       // around y
  Curve Loop(p + 3) = {p + 4, p + 5, p + 9, -(p + 8)};       // around z
  For k In {1:3}
    Surface(p + k) = {p + k};
  EndFor
EndFor
For k In {1:7}
  Line(60 + k) = {10 + k, 30 + k};                           // outwards
EndFor
ends() = {1, 4, 4, 2, 2, 5, 5, 3, 3, 6, 6, 1, 4, 7, 5, 7, 6, 7};
For k In {1:9}
  Curve Loop(60 + k) = {10 + k, 60 + ends(2 * k - 1), -(30 + k), -(60 + ends(2 * k - 2))};
  Surface(60 + k) = {60 + k};
EndFor
Surface Loop(1) = {11, 31, 61, 67, 69, 66};
Surface Loop(2) = {12, 32, 62, 63, 68, 67};
Surface Loop(3) = {13, 33, 64, 65, 69, 68};
For k In {1:3}
  Volume(k) = {k};
EndFor
Transfinite Curve{11:19, 31:39} = cuts + 1;
Transfinite Curve{61:67} = layers + 1 Using Progression 1.1;
Transfinite Surface{11:13, 31:33, 61:69};
Recombine Surface{11:13, 31:33, 61:69};
Transfinite Volume{1:3};

Physical Volume("shell") = {1:3};
Physical Surface("inside") = {11:13};
Physical Surface("outside") = {31:33};
Physical Surface("on_z0") = {61, 62};
Physical Surface("on_x0") = {63, 64};
Physical Surface("on_y0") = {65, 66};

Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
