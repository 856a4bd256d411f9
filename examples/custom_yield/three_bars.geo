// Three bars that meet: gmsh -1 three_bars.geo -o three_bars.msh
Point(1) = {-1, 0, 1};
Point(2) = {0, 0, 1};
Point(3) = {1, 0, 1};
Point(4) = {0, 0, 0};
Line(1) = {1, 4};
Line(2) = {2, 4};
Line(3) = {3, 4};
Transfinite Curve {1, 2, 3} = 2;
Physical Curve("middle") = {2};
Physical Curve("sides") = {1, 3};
Physical Point("ground") = {1, 2, 3};
Physical Point("above") = {2};
Physical Point("joint") = {4};
