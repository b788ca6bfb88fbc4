//! The page of a released mean function.

use super::input::Functions;
use crate::function::Domain;
use crate::privacy::Certificate;
use crate::report::chart::{Axis, Line, line_chart};
use crate::report::colour::{ColourMap, ColourScale};
use crate::report::figure::Figure;
use crate::report::guarantee::{self, certificate_section, guarantee_section, mechanism_rows};
use crate::report::outline::{Outline, outlines};
use crate::report::render::Image;
use crate::study::points::PointStudyError;

/// Most channels that are drawn.
const DRAWN: usize = 6;
/// Width and height of a picture of a disk, in pixels.
const SIDE: usize = 360;

/// What pictures need to know of a study: public.
#[derive(Debug, Clone)]
pub(in crate::study) struct Shown {
    pub domain: Domain,
    pub channels: usize,
    /// Axes of one function.
    pub shape: Vec<usize>,
    /// Where the samples are, in the units that were declared.
    pub positions: Option<Vec<f64>>,
    /// Samples of the public centre, where one was given.
    pub centre: Option<Vec<f64>>,
}

/// The whole page. `errors`: expected ones, or none; `borders`: of a band, lower then upper.
pub(super) fn of(
    shown: &Shown,
    mean: &[f64],
    errors: &[f64],
    borders: Option<&[f64]>,
    sentence: &str,
    certificate: &Certificate,
) -> Result<String, PointStudyError> {
    let what = format!("mean function of {}", guarantee::counted(certificate));
    let mut page = guarantee::release_page("Private mean function", &what, certificate);
    page.figures(&match shown.domain {
        Domain::Disk { curves, samples } => disks(shown, (curves, samples), mean, errors)?,
        Domain::Circle { .. } | Domain::Interval { .. } => lines(shown, mean, errors, borders),
    });
    if shown.channels > DRAWN {
        page.paragraph(&format!("{DRAWN} of {} channels are drawn; mean.npy has all.", shown.channels));
    }
    page.heading("How exact it is");
    page.paragraph(sentence);
    guarantee_section(&mut page, certificate);
    page.heading("How it was made");
    page.table(&["parameter", "value"], &mechanism_rows(certificate));
    certificate_section(&mut page, certificate);
    Ok(page.to_html())
}

fn name(shown: &Shown, channel: usize) -> String {
    if shown.channels == 1 { "mean".into() } else { format!("mean, channel {}", channel + 1) }
}

/// A chart for each channel; of closed curves in the plane the curve too.
fn lines(shown: &Shown, mean: &[f64], errors: &[f64], borders: Option<&[f64]>) -> Vec<Figure> {
    let mut figures = Vec::new();
    let closed = matches!(shown.domain, Domain::Circle { .. });
    if closed && shown.channels == 2 {
        let points = |samples: &[f64]| samples.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        let mut drawn: Vec<Outline> = vec![Outline::closed("private mean", points(mean), 0)];
        drawn.extend(shown.centre.iter().map(|c| Outline::closed("public centre", points(c), 1).faint()));
        figures.push(Figure::chart(outlines("private mean", &drawn), "The mean as a closed curve."));
    }
    let caption = match borders {
        Some(_) => {
            "The released mean; shaded: the 95 % band for the population's mean, about the mean before it was shrunk."
        }
        None if errors.is_empty() => "The released mean.",
        None => "The released mean; shaded: twice its expected error to either side.",
    };
    let x = shown.axis();
    for channel in 0..shown.channels.min(DRAWN) {
        let of = |samples: &[f64]| shown.line(samples, channel);
        let (lower, upper) = match borders {
            Some(borders) => {
                let (lower, upper) = borders.split_at(borders.len() / 2);
                (of(lower), of(upper))
            }
            None => {
                let side = |sign: f64| -> Vec<f64> {
                    mean.iter().zip(errors).map(|(x, e)| x + sign * 2.0 * e).collect()
                };
                (of(&side(-1.0)), of(&side(1.0)))
            }
        };
        let band: Vec<_> = lower.iter().zip(&upper).map(|(l, u)| (l.0, l.1, u.1)).collect();
        let mut drawn = vec![Line::new("private mean", of(mean)).with_band(band.clone())];
        drawn.extend(shown.centre.iter().map(|centre| Line::dashed("public centre", of(centre))));
        let title = name(shown, channel);
        let chart = line_chart(&title, &x, &Axis::linear("value"), &drawn);
        figures.push(Figure::chart(chart, caption));
        // Beside a centre a small band is not seen.
        if let Some(centre) = &shown.centre {
            let centre = of(centre);
            let less = of(mean).into_iter().zip(&centre).map(|((x, y), c)| (x, y - c.1)).collect();
            let band = band.into_iter().zip(&centre).map(|((x, l, u), c)| (x, l - c.1, u - c.1)).collect();
            let line = Line::new("private mean less public centre", less).with_band(band);
            let chart =
                line_chart(&format!("{title}, less the centre"), &x, &Axis::linear("difference"), &[line]);
            figures.push(Figure::chart(chart, "The same less the public centre."));
        }
    }
    figures
}

impl Shown {
    /// Of the functions of a study.
    pub(in crate::study) fn of(functions: &Functions<'_>) -> Self {
        Self {
            domain: functions.domain,
            channels: functions.channels,
            shape: functions.shape.clone(),
            positions: functions.positions.as_ref().map(|positions| positions.grid().to_vec()),
            centre: functions.inputs.centre.as_ref().map(|_| functions.centre.clone()),
        }
    }

    /// Functions over one another, a chart for each channel; on a disk a picture of each channel of each.
    pub(in crate::study) fn drawn(
        &self,
        title: &str,
        functions: &[(&str, &[f64])],
        caption: &str,
    ) -> Result<Vec<Figure>, PointStudyError> {
        if let Domain::Disk { .. } = self.domain {
            let mut figures = Vec::new();
            for (name, values) in functions {
                figures.extend(self.on_disk(name, values, &format!("{caption} ({name})"))?);
            }
            return Ok(figures);
        }
        let chart = |channel: usize| {
            let lines: Vec<Line> = functions
                .iter()
                .enumerate()
                .map(|(i, (name, values))| {
                    let line = self.line(values, channel);
                    if i == 0 { Line::new(*name, line) } else { Line::dashed(*name, line) }
                })
                .collect();
            let of = if self.channels == 1 { String::new() } else { format!(", channel {}", channel + 1) };
            let chart = line_chart(&format!("{title}{of}"), &self.axis(), &Axis::linear("value"), &lines);
            Figure::chart(chart, caption)
        };
        Ok((0..self.channels.min(DRAWN)).map(chart).collect())
    }

    /// Each channel of a function on the disk, in colours about zero.
    fn on_disk(&self, title: &str, values: &[f64], caption: &str) -> Result<Vec<Figure>, PointStudyError> {
        let Domain::Disk { curves, samples } = self.domain else { return Ok(Vec::new()) };
        let one = |k: usize| {
            let values: Vec<f64> = values.iter().skip(k).step_by(self.channels).copied().collect();
            let scale = ColourScale::signed(title, "", &values);
            let picture = disk(&values, curves, samples, &scale);
            Figure::image_with_bar(&picture, &scale, caption)
                .map_err(|e| PointStudyError::Input(format!("cannot draw the report's pictures: {e}")))
        };
        (0..self.channels.min(DRAWN)).map(one).collect()
    }

    /// What samples are at, in a chart.
    fn axis(&self) -> Axis {
        let closed = matches!(self.domain, Domain::Circle { .. });
        Axis::linear(match (closed, &self.positions) {
            (true, Some(_)) => "angle (radians)",
            (true, None) => "share of the way around",
            (false, Some(_)) => "position",
            (false, None) => "share of the interval",
        })
    }

    /// One channel as a line; on a circle it ends where it began.
    fn line(&self, samples: &[f64], channel: usize) -> Vec<(f64, f64)> {
        let values = samples.iter().skip(channel).step_by(self.channels).copied();
        let mut line: Vec<(f64, f64)> = self.places().into_iter().zip(values).collect();
        if let (Domain::Circle { .. }, Some(&(x, y))) = (self.domain, line.first()) {
            let turn = if self.positions.is_some() { std::f64::consts::TAU } else { 1.0 };
            line.push((x + turn, y));
        }
        line
    }

    /// Where samples are, in a chart.
    fn places(&self) -> Vec<f64> {
        let m = self.domain.points();
        match (&self.positions, self.domain) {
            (Some(grid), _) => grid.clone(),
            (None, Domain::Interval { .. }) => (0..m).map(|l| (l as f64 + 0.5) / m as f64).collect(),
            (None, _) => (0..m).map(|l| l as f64 / m as f64).collect(),
        }
    }
}

/// Pictures of the disk in colours: each channel, and the error of all.
fn disks(
    shown: &Shown,
    (curves, samples): (usize, usize),
    mean: &[f64],
    errors: &[f64],
) -> Result<Vec<Figure>, PointStudyError> {
    let channel = |values: &[f64], k: usize| -> Vec<f64> {
        values.iter().skip(k).step_by(shown.channels).copied().collect()
    };
    let mut figures = Vec::new();
    let mut add = |values: &[f64], scale: ColourScale, caption: &str| -> Result<(), PointStudyError> {
        let picture = disk(values, curves, samples, &scale);
        let figure = Figure::image_with_bar(&picture, &scale, caption);
        figures.push(
            figure.map_err(|e| PointStudyError::Input(format!("cannot draw the report's pictures: {e}")))?,
        );
        Ok(())
    };
    for k in 0..shown.channels.min(DRAWN) {
        let values = channel(mean, k);
        let bounds =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        let (low, high) = if bounds.0 < bounds.1 { bounds } else { (bounds.0 - 0.5, bounds.1 + 0.5) };
        let scale =
            ColourScale { name: name(shown, k), unit: String::new(), low, high, map: ColourMap::Sequential };
        add(&values, scale, "The released mean on the disk.")?;
    }
    if errors.is_empty() {
        return Ok(figures);
    }
    let all: Vec<f64> =
        errors.chunks_exact(shown.channels).map(|e| e.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    let scale = ColourScale::magnitude("expected error", "", &all);
    add(&all, scale, "Where the mean is how exact: its expected error, channels together.")?;
    Ok(figures)
}

/// One function on J circles of m samples as a picture: the nearest sample's colour.
fn disk(values: &[f64], curves: usize, samples: usize, scale: &ColourScale) -> Image {
    let mut image = Image::filled(SIDE, SIDE, [255; 3]);
    let half = SIDE as f64 / 2.0;
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (u, v) = ((x as f64 + 0.5 - half) / (half - 2.0), (half - y as f64 - 0.5) / (half - 2.0));
            let (radius, turn) = (u.hypot(v), v.atan2(u) / std::f64::consts::TAU);
            if radius > 1.0 {
                continue;
            }
            let circle = ((radius * curves as f64).round() as usize).clamp(1, curves) - 1;
            let sample = (turn.rem_euclid(1.0) * samples as f64).round() as usize % samples;
            let colour = scale.colour(values[circle * samples + sample]).map(|c| (255.0 * c).round() as u8);
            image.fill(x..x + 1, y..y + 1, colour);
        }
    }
    image
}
