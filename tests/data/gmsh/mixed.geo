// Three sectors of a tube, radii 1 and 2: hexahedra, beside them prisms, on top of the hexahedra pyramids and
// tetrahedra. Volume 9/8 pi.
SetFactory("Built-in");
h = 0.7;
Point(1) = {0,0,0,h}; Point(2) = {1,0,0,h}; Point(3) = {2,0,0,h};
c = Sqrt(0.5);
Point(4) = {c,c,0,h}; Point(5) = {2*c,2*c,0,h}; Point(6) = {0,1,0,h}; Point(7) = {0,2,0,h};
Line(1) = {2,3}; Circle(2) = {3,1,5}; Line(3) = {5,4}; Circle(4) = {4,1,2};
Circle(5) = {5,1,7}; Line(6) = {7,6}; Circle(7) = {6,1,4};
Line Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
Line Loop(2) = {-3,5,6,7}; Plane Surface(2) = {2};
Transfinite Line {1,3} = 2; Transfinite Line {2,4} = 3;
Transfinite Surface {1}; Recombine Surface {1};
a() = Extrude {0,0,1} { Surface{1}; Layers{2}; Recombine; };
b() = Extrude {0,0,1} { Surface{2}; Layers{2}; Recombine; };
t() = Extrude {0,0,1} { Surface{a(0)}; };
Physical Volume("brick") = {a(1)};
Physical Volume("wedge") = {b(1)};
Physical Volume("top") = {t(1)};
Physical Surface("floor") = {1,2};
Physical Surface("roof") = {t(0)};
Physical Surface(40) = {t(0)};
Physical Curve("spoke") = {1};
Physical Point("origin corner") = {2};
