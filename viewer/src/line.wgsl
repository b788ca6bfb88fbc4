
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
