//! What registration adds to the error of a mean face made from scans: its pull towards the template, which no release can see.

use serde::{Deserialize, Serialize};

/// Expected root-mean-square distance of the mean of registered faces from that of the same faces with true correspondence, on faces of unit area, beside
/// the error of the release. Along the skin it does not change the surface, but which place of it is called what.
///
/// Registration falls short of a face's way from the template in a nearly linear fashion, so its part of a mean follows how far the mean lies
/// from the template. The constants are of the built-in template, the default registration and fifteen populations of three public models, none to 5.7 mm
/// off the template. Of fifteen others (`measure registered_means`, docs/measurements.md) .35 to 1.1 of it was found along the skin, .33 to 1.2
/// across. To undo the pull was tried in two ways, and made no other population better: learnt on people of two models for the third, and on smooth random
/// faces.
///
/// Of other surfaces: in the template's units, and found on made-up ones (`SurfaceTemplate::pull`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Correspondence {
    /// Along the surface's normal: where the surface lies.
    #[serde(rename = "registration_normal_rms")]
    pub normal_rms: f64,
    /// Along the skin.
    #[serde(rename = "registration_skin_rms")]
    pub skin_rms: f64,
    /// Of one face whose expression was taken out, from the same face at rest, where they were; of a mean at most that, where its people lie no farther
    /// from the template than one of them does ([`Neutral::expected_rms`](crate::surface::Neutral::expected_rms)).
    #[serde(rename = "expression_rms", default, skip_serializing_if = "Option::is_none")]
    pub expression_rms: Option<f64>,
}

/// What remains where the mean is the template, and the share of the mean's distance from it.
struct Part {
    least: f64,
    share: f64,
}

const NORMAL: Part = Part { least: 0.0009, share: 0.125 };
const SKIN: Part = Part { least: 0.0009, share: 0.30 };

impl Part {
    fn at(&self, from_template: f64) -> f64 {
        self.least.hypot(self.share * from_template)
    }
}

impl Correspondence {
    /// Of people whose mean lies `from_template` from the template (root mean square).
    pub fn of(from_template: f64) -> Self {
        Self { normal_rms: NORMAL.at(from_template), skin_rms: SKIN.at(from_template), expression_rms: None }
    }

    /// In words; `mm`: millimetres in one unit.
    pub fn sentence(&self, mm: f64) -> String {
        let expression = self.expression_rms.map_or_else(String::new, |rms| {
            format!("; taking expressions out leaves, or takes with them, at most about {:.1} mm", mm * rms)
        });
        format!(
            "registration of scans adds about {:.1} mm along the skin and {:.1} mm across it, as with made-up people of public populations{expression}",
            mm * self.skin_rms,
            mm * self.normal_rms
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_with_the_way_from_the_template_and_is_said_in_millimetres() {
        let (near, far) = (Correspondence::of(0.0), Correspondence::of(0.02));
        assert!(near.skin_rms > 0.0 && far.skin_rms > 5.0 * near.skin_rms && far.normal_rms < far.skin_rms);
        assert!(
            far.sentence(200.0).contains("1.2 mm along the skin and 0.5 mm across it"),
            "{}",
            far.sentence(200.0)
        );
    }
}
