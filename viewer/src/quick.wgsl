
// Lines of one colour, and marks, over a surface.

struct Line {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
}

@vertex
fn line_vertex(@location(0) position: vec3<f32>, @location(1) colour: vec3<f32>) -> Line {
    var out: Line;
    out.clip = u.clip * vec4<f32>(position, 1.0);
    // A hair before the surface they lie on.
    out.clip.z -= 0.0015 * out.clip.w;
    out.colour = colour;
    return out;
}

@fragment
fn line_fragment(in: Line) -> @location(0) vec4<f32> {
    return vec4<f32>(in.colour, 1.0);
}

// The skin of `fragment`, with fewer powers: what a card does not notice takes a processor most of a frame.
@fragment
fn skin_fragment(in: Fragment, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    var n = normalize(in.normal);
    let ahead = select(front, n.z >= 0.0, u.style.y > 0.5);
    let side = select(mix(0.45, 1.0, u.style.y), 1.0, ahead);
    n = select(-n, n, ahead);
    let arriving = smoothstep(0.30, 0.80, in.open);
    let wrapped = max((dot(n, vec3<f32>(-0.4795, 0.5794, 0.6593)) + 0.12) / 1.12, 0.0);
    let fill = max(dot(n, vec3<f32>(0.8713, 0.0581, 0.4879)), 0.0);
    let diffuse = in.open * (0.20 + 0.10 * n.y + 0.17 * fill)
        + (0.4 + 0.6 * in.open) * (0.35 + 0.65 * arriving) * 0.80 * wrapped;
    let shine = max(dot(n, vec3<f32>(-0.2632, 0.3181, 0.9108)), 0.0);
    let shine8 = shine * shine * shine * shine * shine * shine * shine * shine;
    let sheen = 0.07 * arriving * shine8 * shine8 * shine8;
    let glow = vec3<f32>(0.0387, 0.0128, 0.0055) * (1.0 - in.open);
    return vec4<f32>(side * (vec3<f32>(0.7176, 0.4707, 0.3371) * diffuse + sheen + glow), 1.0);
}

// The shell of `fragment`.
@fragment
fn shell_fragment(in: Fragment) -> @location(0) vec4<f32> {
    let away = 1.0 - min(abs(in.normal.z) * inverseSqrt(dot(in.normal, in.normal)), 1.0);
    return vec4<f32>(u.palette[2].rgb, mix(u.palette[1].x, u.palette[1].y, away * away * away));
}
