// Two bars that meet: gmsh -1 truss.geo -o truss.msh
Point(1) = {-1, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {0, 0, 0.3};
Line(1) = {1, 3};
Line(2) = {2, 3};
Transfinite Curve {1, 2} = 2;
Physical Curve("bars") = {1, 2};
Physical Point("ground") = {1, 2};
Physical Point("apex") = {3};
