// A quarter of Scordelis and Lo's roof: gmsh -2 roof.geo -o roof.msh
R = 25;
a = 40 * Pi / 180;
Point(1) = {0, 0, 0};
Point(2) = {0, 0, R};
Point(3) = {R * Sin(a), 0, R * Cos(a)};
Circle(1) = {2, 1, 3};
Transfinite Curve {1} = 25;
surface[] = Extrude {0, 25, 0} { Curve{1}; Layers{24}; Recombine; };
Physical Surface("roof") = {surface[1]};
Physical Curve("end") = {surface[0]};
Physical Curve("middle") = {1};
Physical Curve("crown") = {surface[3]};
Physical Point("free edge") = {3};
