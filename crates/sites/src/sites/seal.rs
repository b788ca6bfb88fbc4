//! Keys, and messages that only their receiver can read and only their sender can have written (HPKE, RFC 9180, authenticated mode:
//! X25519, HKDF-SHA256, ChaCha20-Poly1305); and signatures of what everybody may read (Ed25519).
//!
//! One secret of 32 bytes is both: the X25519 key is it, and the Ed25519 key is made of its hash. A public key is both halves one after the
//! other, 128 hexadecimal digits; earlier versions made the first only.

use super::error::{SitesError, of};
use crate::io::{Limit, open, write_text};
use ed25519_dalek::{SIGNATURE_LENGTH, Signature, Signer, SigningKey, VerifyingKey};
use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{
    Deserializable, Kem, OpModeR, OpModeS, Serializable, single_shot_open, single_shot_seal_with_rng,
};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

type Secret = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;
type Encapped = <X25519HkdfSha256 as Kem>::EncappedKey;
/// Bytes of an encapsulated key.
const ENCAPPED: usize = 32;

/// Hexadecimal digits of one half of a public key.
const HALF: usize = 64;
/// What is wrong with a public key.
const NO_KEY: &str = "a public key is 128 hexadecimal digits (64 of an earlier version)";

/// A secret key with its public one.
pub(super) struct KeyPair {
    secret: Secret,
    public: Public,
    signing: SigningKey,
    /// Whether the plan names the public half of the signing key: only then is there anything to check a signature with.
    signs: bool,
}

/// A hash that is made of the secret for one purpose.
fn made_of(secret: &Secret, purpose: &str) -> [u8; 32] {
    let mut inner = Sha256::new();
    inner.update(purpose.as_bytes());
    let mut hash = Sha256::new();
    hash.update(b"visard sites, made of a secret key\n");
    hash.update(secret.to_bytes());
    hash.update(inner.finalize());
    hash.finalize().into()
}

fn signing_key(secret: &Secret) -> SigningKey {
    SigningKey::from_bytes(&made_of(secret, "signing key"))
}

/// What is signed: a message as it is, and what it is for.
fn to_sign(message: &[u8]) -> Vec<u8> {
    [b"visard sites, signed message\n", message].concat()
}

fn generator() -> Result<ChaCha20Rng, SitesError> {
    ChaCha20Rng::try_from_rng(&mut rand::rngs::SysRng).map_err(|_| SitesError::Entropy)
}

/// Makes a key for a site or an aggregator, to seal and to sign with: the secret one in `path`, readable by its owner only, and the public
/// one beside it, `PATH.pub`, which is returned.
///
/// # Errors
/// [`SitesError`]; a key that is there already is kept.
pub fn make_site_key(path: &Path) -> Result<PathBuf, SitesError> {
    let public = PathBuf::from(format!("{}.pub", path.display()));
    if let Some(there) = [path, &public].into_iter().find(|file| file.exists()) {
        return Err(of(there, "is there already; give another name"));
    }
    let (secret, open) = X25519HkdfSha256::gen_keypair_with_rng(&mut generator()?);
    let verifying = signing_key(&secret).verifying_key();
    crate::io::write_secret(path, &format!("{}\n", hex::encode(secret.to_bytes())))?;
    write_text(&public, &format!("{}{}\n", hex::encode(open.to_bytes()), hex::encode(verifying.to_bytes())))?;
    Ok(public)
}

/// Whether a public key has a half that signatures are checked with.
pub(super) fn has_signing_half(key: &str) -> bool {
    key.trim().len() > HALF
}

/// Both halves of a public key, from its hexadecimal form.
pub(super) fn public_key(text: &str) -> Result<(Public, Option<VerifyingKey>), String> {
    let bytes = hex::decode(text.trim()).map_err(|_| NO_KEY.to_owned())?;
    let (sealing, signing) = bytes.split_at_checked(HALF / 2).ok_or(NO_KEY)?;
    let sealing = Public::from_bytes(sealing).map_err(|_| NO_KEY.to_owned())?;
    if signing.is_empty() {
        return Ok((sealing, None));
    }
    let signing: &[u8; 32] = signing.try_into().map_err(|_| NO_KEY.to_owned())?;
    let signing = VerifyingKey::from_bytes(signing).ok().filter(|key| !key.is_weak()).ok_or(NO_KEY)?;
    Ok((sealing, Some(signing)))
}

/// What stands before the signature in the body of a message; `None` unless it was signed with this key.
pub(super) fn split_signature<'a>(key: &str, line: &[u8], body: &'a [u8]) -> Option<&'a [u8]> {
    let key = public_key(key).ok()?.1?;
    let (body, signature) = body.split_at_checked(body.len().checked_sub(SIGNATURE_LENGTH)?)?;
    let signature = Signature::from_slice(signature).ok()?;
    let message = [line, b"\n", body].concat();
    // Strict: no signature that another one could be made of.
    key.verify_strict(&to_sign(&message), &signature).ok()?;
    Some(body)
}

/// The text of a public key's file.
///
/// # Errors
/// [`SitesError`].
pub fn read_public_key(path: &Path) -> Result<String, SitesError> {
    let file = open(path, Limit::SMALL)?;
    let text = file.text()?.trim().to_owned();
    public_key(&text).map_err(|what| of(path, what))?;
    Ok(text)
}

impl KeyPair {
    /// Reads a secret key; it must be the one that goes with `expected`.
    pub(super) fn read(path: &Path, expected: &str) -> Result<Self, SitesError> {
        let file = open(path, Limit::SMALL)?;
        let bytes = hex::decode(file.text()?.trim()).unwrap_or_default();
        let secret = Secret::from_bytes(&bytes)
            .map_err(|_| of(path, "does not hold a secret key: 64 hexadecimal digits"))?;
        let (public, signing) = (X25519HkdfSha256::sk_to_pk(&secret), signing_key(&secret));
        let mut own = hex::encode(public.to_bytes());
        let signs = has_signing_half(expected);
        if signs {
            own += &hex::encode(signing.verifying_key().to_bytes());
        }
        if own != expected.trim() {
            return Err(of(path, "is another key than the plan names for this one"));
        }
        Ok(Self { secret, public, signing, signs })
    }

    /// A message with its signature behind it, where the plan names a key to check that with.
    pub(super) fn signed(&self, mut message: Vec<u8>) -> Vec<u8> {
        if self.signs {
            let signature = self.signing.sign(&to_sign(&message));
            message.extend_from_slice(&signature.to_bytes());
        }
        message
    }

    /// A secret that is the same whenever it is asked for with the same words, and that nobody else can know.
    pub(super) fn secret_for(&self, purpose: &str) -> [u8; 32] {
        made_of(&self.secret, purpose)
    }

    /// Seals a message, bound to `header`.
    pub(super) fn seal(&self, to: &str, header: &[u8], message: &[u8]) -> Result<Vec<u8>, SitesError> {
        let (to, _) = public_key(to).map_err(SitesError::Asked)?;
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
        let mode = OpModeR::Auth(public_key(from).ok()?.0);
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
            let public = read_public_key(&make_site_key(&path).unwrap()).unwrap();
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
        assert!(KeyPair::read(&a_path, &b_public).is_err() && make_site_key(&a_path).is_err());
        assert!(public_key("00").is_err() && public_key("not hexadecimal").is_err());
        assert!(public_key(&a_public[..64]).unwrap().1.is_none() && public_key(&a_public[..66]).is_err());
    }

    #[test]
    fn signatures_are_of_one_message_and_one_key() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = dir.path().join(name);
            let public = read_public_key(&make_site_key(&path).unwrap()).unwrap();
            (KeyPair::read(&path, &public).unwrap(), public, path)
        };
        let ((a, a_public, path), (_, b_public, _)) = (make("a"), make("b"));
        let signed = a.signed(b"line\nbody".to_vec());
        let (line, body) = (&signed[..4], &signed[5..]);
        assert_eq!(split_signature(&a_public, line, body), Some(&b"body"[..]));
        assert!(split_signature(&b_public, line, body).is_none());
        assert!(split_signature(&a_public, b"another", body).is_none());
        for at in 0..body.len() {
            let mut bad = body.to_vec();
            bad[at] ^= 1;
            assert!(split_signature(&a_public, line, &bad).is_none(), "{at}");
        }
        assert!(split_signature(&a_public, line, b"body").is_none());
        // A plan that names the sealing half only, of an earlier version, asks for no signature.
        let early = KeyPair::read(&path, &a_public[..64]).unwrap();
        assert_eq!(early.signed(b"m".to_vec()), b"m");
        assert_eq!(early.secret_for("x"), a.secret_for("x"));
        assert_ne!(a.secret_for("x"), a.secret_for("y"));
    }
}
