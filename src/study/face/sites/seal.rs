//! Keys, and messages that only their receiver can read and only their sender can have written (HPKE, RFC 9180, authenticated mode:
//! X25519, HKDF-SHA256, ChaCha20-Poly1305).

use super::error::{SitesError, of};
use crate::io::{Limit, open, write_text};
use crate::study::face::StudyError;
use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{
    Deserializable, Kem, OpModeR, OpModeS, Serializable, single_shot_open, single_shot_seal_with_rng,
};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use std::path::{Path, PathBuf};

type Secret = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;
type Encapped = <X25519HkdfSha256 as Kem>::EncappedKey;
/// Bytes of an encapsulated key.
const ENCAPPED: usize = 32;

/// A secret key with its public one.
pub(super) struct KeyPair {
    secret: Secret,
    public: Public,
}

fn generator() -> Result<ChaCha20Rng, SitesError> {
    ChaCha20Rng::try_from_rng(&mut rand::rngs::SysRng).map_err(|_| SitesError::Entropy)
}

/// Makes a key for a site or an aggregator: the secret one in `path`, readable by its owner only, and the public one beside it, `PATH.pub`,
/// which is returned.
///
/// # Errors
/// [`StudyError`]; a key that is there already is kept.
pub fn make_sealing_key(path: &Path) -> Result<PathBuf, StudyError> {
    let public = PathBuf::from(format!("{}.pub", path.display()));
    if let Some(there) = [path, &public].into_iter().find(|file| file.exists()) {
        return Err(of(there, "is there already; give another name").into());
    }
    let (secret, open) = X25519HkdfSha256::gen_keypair_with_rng(&mut generator()?);
    crate::io::write_secret(path, &format!("{}\n", hex::encode(secret.to_bytes())))?;
    write_text(&public, &format!("{}\n", hex::encode(open.to_bytes())))?;
    Ok(public)
}

/// A public key from its hexadecimal form.
pub(super) fn public_key(text: &str) -> Result<Public, String> {
    let bytes = hex::decode(text.trim()).map_err(|_| "a public key is 64 hexadecimal digits".to_owned())?;
    Public::from_bytes(&bytes).map_err(|_| "a public key is 64 hexadecimal digits".to_owned())
}

/// The text of a public key's file.
///
/// # Errors
/// [`StudyError`].
pub fn read_public_key(path: &Path) -> Result<String, StudyError> {
    let file = open(path, Limit::SMALL)?;
    let text = file.text()?.trim().to_owned();
    public_key(&text).map_err(|what| of(path, what))?;
    Ok(text)
}

impl KeyPair {
    /// Reads a secret key; it must be the one that goes with `expected`.
    pub(super) fn read(path: &Path, expected: &str) -> Result<Self, StudyError> {
        let file = open(path, Limit::SMALL)?;
        let bytes = hex::decode(file.text()?.trim()).unwrap_or_default();
        let secret = Secret::from_bytes(&bytes)
            .map_err(|_| of(path, "does not hold a secret key: 64 hexadecimal digits"))?;
        let public = X25519HkdfSha256::sk_to_pk(&secret);
        if hex::encode(public.to_bytes()) != expected.trim() {
            return Err(of(path, "is another key than the plan names for this one").into());
        }
        Ok(Self { secret, public })
    }

    /// Seals a message, bound to `header`.
    pub(super) fn seal(&self, to: &str, header: &[u8], message: &[u8]) -> Result<Vec<u8>, SitesError> {
        let to = public_key(to).map_err(SitesError::Asked)?;
        let mode = OpModeS::Auth((self.secret.clone(), self.public.clone()));
        let (encapped, sealed) = single_shot_seal_with_rng::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
            &mode,
            &to,
            header,
            message,
            &[],
            &mut generator()?,
        )
        .map_err(|e| SitesError::Sharing(e.to_string()))?;
        Ok([encapped.to_bytes().as_slice(), &sealed].concat())
    }

    /// Opens a message; `None` for one that was damaged, that another wrote, or that is for another.
    pub(super) fn open(&self, from: &str, header: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (encapped, rest) = sealed.split_at_checked(ENCAPPED)?;
        let encapped = Encapped::from_bytes(encapped).ok()?;
        let mode = OpModeR::Auth(public_key(from).ok()?);
        single_shot_open::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
            &mode,
            &self.secret,
            &encapped,
            header,
            rest,
            &[],
        )
        .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_receiver_reads_and_only_the_sender_writes() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = dir.path().join(name);
            let public = read_public_key(&make_sealing_key(&path).unwrap()).unwrap();
            (KeyPair::read(&path, &public).unwrap(), public, path)
        };
        let ((a, a_public, a_path), (b, b_public, _), (c, c_public, _)) = (make("a"), make("b"), make("c"));
        let sealed = a.seal(&b_public, b"header", b"message").unwrap();
        assert_eq!(b.open(&a_public, b"header", &sealed).unwrap(), b"message");
        assert!(b.open(&a_public, b"other", &sealed).is_none());
        assert!(
            b.open(&c_public, b"header", &sealed).is_none()
                && c.open(&a_public, b"header", &sealed).is_none()
        );
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert!(b.open(&a_public, b"header", &damaged).is_none(), "{at}");
        }
        assert!(b.open(&a_public, b"header", &sealed[..20]).is_none());
        assert!(KeyPair::read(&a_path, &b_public).is_err() && make_sealing_key(&a_path).is_err());
        assert!(public_key("00").is_err() && public_key("not hexadecimal").is_err());
    }
}
