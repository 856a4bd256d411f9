// A shaft of 2 m along x, of 16 beams: gmsh -1 rotor.geo -o rotor.msh
Point(1) = {0, 0, 0};
Point(2) = {2, 0, 0};
Line(1) = {1, 2};
Transfinite Curve {1} = 17;
Physical Curve("shaft") = {1};
Physical Point("left") = {1};
Physical Point("right") = {2};
