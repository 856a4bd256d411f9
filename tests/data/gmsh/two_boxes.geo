// a unit cube of two boxes; the first 0.4 high. Groups overlap.
SetFactory("OpenCASCADE");
Box(1) = {0,0,0, 1,1,0.4};
Box(2) = {0,0,0.4, 1,1,0.6};
Coherence;
Mesh.MeshSizeMin = 0.5; Mesh.MeshSizeMax = 0.5;
bottom() = Surface In BoundingBox {-0.1,-0.1,-0.1, 1.1,1.1,0.1};
top() = Surface In BoundingBox {-0.1,-0.1,0.9, 1.1,1.1,1.1};
edge() = Curve In BoundingBox {-0.1,-0.1,-0.1, 1.1,0.1,0.1};
corner() = Point In BoundingBox {0.9,0.9,0.9, 1.1,1.1,1.1};
Physical Volume("lower part") = {1};
Physical Volume(7) = {2};
Physical Volume("whole") = {1,2};
Physical Surface("Süd, unten") = {bottom()};
Physical Surface("top") = {top()};
Physical Curve("edge") = {edge()};
Physical Point("corner") = {corner()};
