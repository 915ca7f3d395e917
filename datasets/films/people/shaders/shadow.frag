#version 330
in float height;
out float seen;
void main() {
    if (height < 1.0) discard;
    seen = height;
}
