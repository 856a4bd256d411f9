// A bar of 1 m in 40 cells: gmsh -3 wave.geo -o wave.msh
Point(1) = {0, 0, 0};
Point(2) = {0, 0.025, 0};
Point(3) = {0, 0.025, 0.025};
Point(4) = {0, 0, 0.025};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 2, 3, 4} = 2;
Transfinite Surface {1};
Recombine Surface {1};
out[] = Extrude {1, 0, 0} { Surface{1}; Layers{40}; Recombine; };
Physical Volume("bar") = {out[1]};
Physical Surface("wall") = {1};
Physical Surface("end") = {out[0]};
