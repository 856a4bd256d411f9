// A tension specimen of a unidirectional ply, 200 x 20 x 2 mm [m].
Point(1) = {0, 0, 0};
Point(2) = {0.2, 0, 0};
Point(3) = {0.2, 0.02, 0};
Point(4) = {0, 0.02, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 3} = 41;
Transfinite Curve {2, 4} = 5;
Transfinite Surface {1};
Recombine Surface {1};
Extrude {0, 0, 0.002} { Surface{1}; Layers{1}; Recombine; }
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Physical Volume("ply") = {1};
Physical Surface("left") = {25};
Physical Surface("right") = {17};
Physical Point("corner") = {1};
Physical Point("below") = {5};
Physical Point("end") = {2};
