#version 330
uniform mat4 camera;
in vec3 place;
in vec3 normal;
in vec2 uv;
in float part;
out vec3 at;
out vec3 up;
out vec2 tex;
flat out float kind;
void main() {
    at = place; up = normal; tex = uv; kind = part;
    gl_Position = camera * vec4(place, 1.0);
}
