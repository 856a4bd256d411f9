// A bar of 100 x 1 mm with a weak zone of 10 mm in the middle, 80 quadrilaterals.
//   gmsh -2 bar.geo -o bar.msh
h = 1.25e-3;
Point(1) = {0, 0, 0}; Point(2) = {0.045, 0, 0}; Point(3) = {0.055, 0, 0}; Point(4) = {0.1, 0, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4};
left[] = Extrude {0, 0.001, 0} { Line{1}; Layers{1}; Recombine; };
weak[] = Extrude {0, 0.001, 0} { Line{2}; Layers{1}; Recombine; };
right[] = Extrude {0, 0.001, 0} { Line{3}; Layers{1}; Recombine; };
Transfinite Curve{1, 3} = 37;
Transfinite Curve{2} = 9;

Physical Surface("strong") = {left[1], right[1]};
Physical Surface("weak") = {weak[1]};
Physical Curve("left") = {-left[3]};
Physical Curve("right") = {right[2]};

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
