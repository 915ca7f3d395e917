#version 330

uniform vec2 slide;   // of a shadow, mm per mm of height
uniform vec2 half_mm; // of the map of shadows

in vec3 place;
out float height;
void main() {
    height = place.z;
    vec2 at = place.xy + slide * place.z;
    gl_Position = vec4(at / half_mm, clamp(1.0 - place.z / 900.0, -0.99, 0.99), 1.0);
}
