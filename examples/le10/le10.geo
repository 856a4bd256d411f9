// LE10: a quarter of a thick elliptic plate. Metres. 12 x 18 x 7 hexahedra of 20 nodes, finer towards the point D.
//   gmsh -3 le10.geo -o le10.msh
Point(1) = {0, 0, 0};
Point(2) = {2, 0, 0}; Point(3) = {3.25, 0, 0};
Point(4) = {0, 1, 0}; Point(5) = {0, 2.75, 0};
Line(1) = {2, 3};
Ellipse(2) = {3, 1, 3, 5};
Line(3) = {5, 4};
Ellipse(4) = {4, 1, 2, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1} = 13 Using Progression 1.3;
Transfinite Curve{-3} = 13 Using Progression 1.3;
Transfinite Curve{2} = 19 Using Progression 1.15;
Transfinite Curve{-4} = 19 Using Progression 1.15;
Transfinite Surface{1} = {2, 3, 5, 4};
Recombine Surface{1};
low() = Extrude {0, 0, 0.3} { Surface{1}; Layers{2}; Recombine; };
high() = Extrude {0, 0, 0.3} { Surface{low(0)}; Layers{{1, 1, 1, 1, 1}, {0.4, 0.7, 0.85, 0.95, 1}}; Recombine; };

// Sides in the order of the curves: y = 0, outer, x = 0, inner.
Physical Volume("plate") = {low(1), high(1)};
Physical Surface("top") = {high(0)};
Physical Surface("on_y0") = {low(2), high(2)};
Physical Surface("on_x0") = {low(4), high(4)};
Physical Surface("outer") = {low(3), high(3)};
e = 1e-6;
middle() = Curve In BoundingBox{-e, -e, 0.3 - e, 3.25 + e, 2.75 + e, 0.3 + e};
outer() = Boundary{ Surface{low(3)}; };
rim() = {};
For i In {0 : #middle() - 1}
  For j In {0 : #outer() - 1}
    If (middle(i) == Abs(outer(j)))
      rim() += {middle(i)};
    EndIf
  EndFor
EndFor
Physical Curve("rim") = {rim()};   // mid-height line of the outer face

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 2.2;
Mesh.Binary = 1;
