#version 330

uniform vec2 slide;   // of a shadow, mm per mm of height
uniform vec2 half_mm; // of the map of shadows

uniform sampler2D picture;
uniform sampler2D heights;
uniform vec3 lamp;     // mm
uniform vec3 eye;      // mm
uniform float gloss;
uniform float darkness;
uniform float solid;   // 1: no holes in the texture
in vec3 at;
in vec3 up;
in vec2 tex;
flat in float kind;
layout(location = 0) out vec4 colour;
float lit(vec2 place, float z) {
    float open = 0.0;
    vec2 around[5] = vec2[](vec2(0), vec2(9, 4), vec2(-4, 9), vec2(-9, -4), vec2(4, -9));
    for (int i = 0; i < 5; i++) {
        vec2 spot = (place + around[i]) / half_mm * 0.5 + 0.5;
        open += 1.0 - smoothstep(14.0, 40.0, texture(heights, spot).r - z);
    }
    return open / 5.0;
}
void main() {
    vec4 texel = texture(picture, tex);
    if (solid < 0.5 && texel.a < 0.45) discard;
    vec3 n = normalize(up);
    vec3 view = normalize(eye - at);
    if (dot(n, view) < 0.0) n = -n;
    vec3 way = normalize(lamp - at);
    float open = lit(at.xy + slide * at.z, at.z);
    open = mix(1.0, open, 0.9 * darkness + 0.3);
    float wrap = max((dot(n, way) + 0.25) / 1.25, 0.0);
    float sky = 0.5 + 0.5 * n.z;
    // Near the table light is lost to what stands around.
    float low = mix(0.72, 1.0, smoothstep(-60.0, 140.0, at.z));
    vec3 warm = texel.rgb;
    float light = (0.22 + 0.28 * sky) * low + 0.66 * wrap * open;
    vec3 bright = warm * light;
    vec3 mid = normalize(way + view);
    bright += gloss * pow(max(dot(n, mid), 0.0), 24.0) * open * vec3(1.0);
    colour = vec4(bright, 1.0);
}
