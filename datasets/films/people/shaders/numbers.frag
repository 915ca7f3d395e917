#version 330
uniform sampler2D picture;
uniform float solid;
uniform float number;
in vec3 at;
in vec3 up;
in vec2 tex;
flat in float kind;
layout(location = 0) out vec4 colour;
void main() {
    if (solid < 0.5 && texture(picture, tex).a < 0.45) discard;
    colour = vec4(number / 255.0, (kind + 1.0) / 255.0, 0.0, 1.0);
}
