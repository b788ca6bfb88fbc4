// The face-like material: sky, key light from the upper left, weak fill from the right, a little sheen, as in the reports'
// still pictures. Or colours of a scalar field, a checkerboard or a polar grid of the disk map.

struct Uniforms {
    clip: mat4x4<f32>,
    turn: mat4x4<f32>,
    // Mode (0 skin, 1 field, 2 checkerboard, 3 polar grid, 4 shell); 1 where both sides are lit alike; lines of equal value on the field's scale.
    style: vec4<f32>,
    // The colour map's anchors, sRGB; the shell's colour, and its opacity ahead and edge on.
    palette: array<vec4<f32>, 9>,
}

@group(0) @binding(0) var<uniform> u: Uniforms;

struct Vertex {
    @location(0) position: vec3<f32>,
    // Its length is (1 + sky visibility) / 2.
    @location(1) normal: vec3<f32>,
    // The field's place on its scale and 0, or the disk coordinate.
    @location(2) uv: vec2<f32>,
}

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) open: f32,
    @location(2) uv: vec2<f32>,
}

@vertex
fn vertex(v: Vertex) -> Fragment {
    var out: Fragment;
    out.clip = u.clip * vec4<f32>(v.position, 1.0);
    let size = max(length(v.normal), 1e-6);
    out.normal = (u.turn * vec4<f32>(v.normal / size, 0.0)).xyz;
    out.open = clamp(2.0 * size - 1.0, 0.0, 1.0);
    out.uv = v.uv;
    return out;
}

fn field_colour(t: f32) -> vec3<f32> {
    if !(t >= 0.0) { return vec3<f32>(0.6); }
    let place = clamp(t, 0.0, 1.0) * 8.0;
    let low = min(u32(place), 7u);
    return mix(u.palette[low].rgb, u.palette[low + 1u].rgb, place - f32(low));
}

// +-1/2 in turn over unit intervals, smooth over a pixel.
fn stripes(x: f32, w: f32) -> f32 {
    return clamp((abs(fract(0.5 * x + 0.25) - 0.5) - 0.25) * 2.0 / max(w, 1e-6), -0.5, 0.5);
}

@fragment
fn fragment(in: Fragment, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let clay = vec3<f32>(0.86, 0.71, 0.61);
    let pixel = max(length(fwidth(in.uv)), 1e-6);
    let squares = fwidth(in.uv * 10.0);
    var n = normalize(in.normal);
    // Along silhouettes an interpolated normal may look away although the triangle shows its front: lit by that, they would be
    // flecked. Which side is seen is the triangle's to say; where both sides are lit alike, the normal's.
    let ahead = select(front, n.z >= 0.0, u.style.y > 0.5);
    let side = select(mix(0.45, 1.0, u.style.y), 1.0, ahead);
    n = select(-n, n, ahead);
    n = normalize(vec3<f32>(n.xy, max(n.z, 0.02)));
    let mode = u32(u.style.x + 0.5);
    if mode == 4u {
        let edge = pow(1.0 - min(n.z, 1.0), 3.0);
        return vec4<f32>(pow(u.palette[0].rgb, vec3<f32>(2.2)), mix(u.palette[1].x, u.palette[1].y, edge));
    }
    let level = in.uv.x * u.style.z;
    let steepness = max(fwidth(level), 1e-6);
    if mode == 1u {
        let off = abs(fract(level + 0.5) - 0.5) / steepness;
        let inside = level > 0.5 && level < u.style.z - 0.5;
        let line = select(0.0, 1.0 - smoothstep(0.4, 1.1, off), inside);
        let c = mix(field_colour(in.uv.x), vec3<f32>(0.05, 0.08, 0.14), 0.85 * line) * side * (0.58 + 0.42 * n.z) * (0.72 + 0.28 * in.open);
        return vec4<f32>(pow(c, vec3<f32>(2.2)), 1.0);
    }
    var base = clay;
    if mode == 2u {
        let s = stripes(10.0 * in.uv.x, squares.x) * stripes(10.0 * in.uv.y, squares.y);
        base = mix(vec3<f32>(0.16, 0.34, 0.52), vec3<f32>(0.96, 0.94, 0.90), 0.5 + 2.0 * s);
    }
    if mode == 3u {
        let r = length(in.uv);
        let ring = abs(fract(10.0 * r + 0.5) - 0.5) / (10.0 * pixel);
        let sector = 0.523598776;
        let spoke = abs(fract(atan2(in.uv.y, in.uv.x) / sector + 0.5) - 0.5) * sector * r / pixel;
        let ink = 1.0 - smoothstep(0.5, 1.1, min(ring, spoke));
        base = mix(clay, vec3<f32>(0.05, 0.20, 0.42), ink);
    }
    let key = normalize(vec3<f32>(-0.48, 0.58, 0.66));
    let fill = normalize(vec3<f32>(0.75, 0.05, 0.42));
    let wrapped = max((dot(n, key) + 0.12) / 1.12, 0.0);
    let arriving = smoothstep(0.30, 0.80, in.open);
    let diffuse = in.open * (0.20 + 0.10 * n.y + 0.17 * max(dot(n, fill), 0.0))
        + (0.4 + 0.6 * in.open) * (0.35 + 0.65 * arriving) * 0.80 * wrapped;
    let sheen = 0.07 * arriving * pow(max(dot(n, normalize(key + vec3<f32>(0.0, 0.0, 1.0))), 0.0), 24.0);
    let glow = vec3<f32>(0.045, 0.018, 0.009) * (1.0 - in.open);
    return vec4<f32>(side * (pow(base, vec3<f32>(2.2)) * diffuse + sheen + glow * base), 1.0);
}
