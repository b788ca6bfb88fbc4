//! One charge, one result.
//!
//! A study that was interrupted after its charge goes on with it; the danger is that it draws again, and that both
//! results come out. So a result is stored before it is published, and the charge is *redeemed* by the SHA-256 of what
//! was stored: once, and for good. A charge for several draws that leave one by one, as the rounds of a plan of many sites,
//! is redeemed draw by draw.

use super::super::digest::is_sha256_hex;
use super::super::{Charge, Part, Receipt};
use super::error::ReceiptError;
use super::line::Entry;
use super::{Ledger, LedgerError};

impl Ledger {
    /// Whether this is the ledger that gave `receipt`, with that line as it was then; later lines may follow.
    ///
    /// # Errors
    /// [`ReceiptError::OtherLedger`], [`ReceiptError::Shorter`], [`ReceiptError::OtherLine`].
    pub fn holds(&self, receipt: &Receipt) -> Result<(), ReceiptError> {
        self.history.holds(receipt)
    }

    /// Records, before it is published, that the charge paid for the stored result with this SHA-256. The second time
    /// with the same one nothing happens.
    ///
    /// # Errors
    /// [`LedgerError::Receipt`] with [`ReceiptError::AlreadyRedeemed`] when it paid for another, with the others when the
    /// charge is not there or this is no SHA-256; those of writing.
    pub fn redeem(&mut self, receipt: &Receipt, draw_sha256: &str) -> Result<(), LedgerError> {
        if !is_sha256_hex(draw_sha256) {
            return Err(ReceiptError::Digest(draw_sha256.to_owned()).into());
        }
        let charge = self.history.charge(receipt)?;
        // Noise that anybody can make again binds nothing, and its SHA-256 would confirm guesses of the records.
        if charge.part.is_seeded() || charge.redeemed.as_deref() == Some(draw_sha256) {
            return Ok(());
        }
        match charge.used() {
            Some(draw) => Err(already(receipt, draw).into()),
            None => self.write_redemption(receipt, None, draw_sha256),
        }
    }

    /// As [`Self::redeem`], for one of the draws that the charge was made for (number `part`, from 0), before that one leaves. How many these
    /// are is whose business it is to [split](Charge::split) the charge.
    ///
    /// # Errors
    /// As [`Self::redeem`].
    pub fn redeem_part(
        &mut self,
        receipt: &Receipt,
        part: u32,
        draw_sha256: &str,
    ) -> Result<(), LedgerError> {
        if !is_sha256_hex(draw_sha256) {
            return Err(ReceiptError::Digest(draw_sha256.to_owned()).into());
        }
        let charge = self.history.charge(receipt)?;
        if charge.part.is_seeded() {
            return Ok(());
        }
        match charge.redeemed_part(part) {
            Some(draw) if draw == draw_sha256 => Ok(()),
            Some(draw) => Err(already(receipt, draw).into()),
            None => self.write_redemption(receipt, Some(part), draw_sha256),
        }
    }

    fn write_redemption(
        &mut self,
        receipt: &Receipt,
        part: Option<u32>,
        draw: &str,
    ) -> Result<(), LedgerError> {
        let (charge, draw) = (receipt.line, draw.to_owned());
        self.write(vec![Entry::Redeem { charge, part, draw }, Entry::Seal { charge }])
    }

    /// Records, before it can be seen, that a release with a certificate of this SHA-256 was made of the result of this charge. The same
    /// certificate as the last is not recorded twice, one of a seeded release not at all.
    ///
    /// # Errors
    /// [`LedgerError::Receipt`]: the charge is not there, was not redeemed, or this is no SHA-256; those of writing.
    pub fn publish(&mut self, receipt: &Receipt, certificate_sha256: &str) -> Result<(), LedgerError> {
        if !is_sha256_hex(certificate_sha256) {
            return Err(ReceiptError::Digest(certificate_sha256.to_owned()).into());
        }
        let charge = self.history.charge(receipt)?;
        if charge.part.is_seeded() || charge.published.last().is_some_and(|last| last == certificate_sha256) {
            return Ok(());
        }
        if charge.used().is_none() {
            return Err(ReceiptError::NotRedeemed { line: receipt.line }.into());
        }
        let (charge, certificate) = (receipt.line, certificate_sha256.to_owned());
        self.write(vec![Entry::Publish { charge, certificate }, Entry::Seal { charge }])
    }

    /// The SHA-256 of the result that the charge was redeemed for; `None` also when there is no such charge.
    pub fn redeemed(&self, receipt: &Receipt) -> Option<String> {
        self.history.charge(receipt).ok()?.redeemed.clone()
    }

    /// The SHA-256 that draw number `part` of the charge was redeemed for; `None` also when there is no such charge.
    pub fn redeemed_part(&self, receipt: &Receipt, part: u32) -> Option<String> {
        self.history.charge(receipt).ok()?.redeemed_part(part).cloned()
    }

    /// The proof of a charge that is on record, for a run that was interrupted between its charge and its release:
    /// whoever calls this answers for it that nothing drawn under the first proof has been stored or has left the
    /// process.
    ///
    /// # Errors
    /// [`LedgerError::Receipt`]: the charge is not there, is not of `part`, or is redeemed: its result is to be published.
    pub fn reissue(&self, receipt: &Receipt, part: &Part) -> Result<Charge, LedgerError> {
        let used = self.history.charge(receipt)?.used();
        self.proof(receipt, part, used)
    }

    /// As [`Self::reissue`], for draw number `index` only: others may have been redeemed.
    ///
    /// # Errors
    /// As [`Self::reissue`]; this draw is redeemed.
    pub fn reissue_part(&self, receipt: &Receipt, part: &Part, index: u32) -> Result<Charge, LedgerError> {
        let used = self.history.charge(receipt)?.redeemed_part(index);
        self.proof(receipt, part, used)
    }

    fn proof(&self, receipt: &Receipt, part: &Part, used: Option<&String>) -> Result<Charge, LedgerError> {
        if self.history.charge(receipt)?.part != *part {
            return Err(ReceiptError::OtherCharge { line: receipt.line }.into());
        }
        match used {
            Some(draw) => Err(already(receipt, draw).into()),
            None => Ok(Charge::recorded(part, Some(receipt.clone()))?),
        }
    }

    /// The receipt of the charge on record that is the one announced by `receipt` in these `lines` ([`Announced::lines`](
    /// super::Announced::lines)), though its line is another now: it was half written, and completed by another run. For the run that
    /// announced it, which otherwise would charge it a second time; it stores this receipt in the place of its own, and then
    /// [adopts](Self::adopt) the charge.
    #[doc(hidden)]
    pub fn adoptable(&self, receipt: &Receipt, lines: &str) -> Option<Receipt> {
        if receipt.id != self.id() || self.holds(receipt).is_ok() {
            return None;
        }
        let nonce = self.history.orphan(receipt.line)?;
        lines
            .contains(&format!("\"nonce\":\"{nonce}\""))
            .then(|| self.history.receipt_of(receipt.line).cloned())?
    }

    /// From now on the half-written charge of this receipt is the run's own that stored it, and no other's.
    ///
    /// # Errors
    /// [`LedgerError`] of writing.
    #[doc(hidden)]
    pub fn adopt(&mut self, receipt: &Receipt) -> Result<(), LedgerError> {
        self.holds(receipt)?;
        match self.history.orphan(receipt.line) {
            Some(_) => self.write(vec![Entry::Seal { charge: receipt.line }]),
            None => Ok(()),
        }
    }

    /// The receipt of the one charge that was handed out, is equal to `part` and was not redeemed; `None` if there is
    /// none, or several. For runs that gave their charge a name of its own.
    pub fn find(&self, part: &Part) -> Option<Receipt> {
        let free = self.history.charges.iter().filter(|charge| charge.used().is_none());
        let mut found =
            free.filter(|charge| charge.part == *part).filter_map(|charge| charge.receipt.as_ref());
        match (found.next(), found.next()) {
            (Some(receipt), None) => Some(receipt.clone()),
            _ => None,
        }
    }
}

fn already(receipt: &Receipt, draw: &str) -> ReceiptError {
    ReceiptError::AlreadyRedeemed { line: receipt.line, draw: draw.to_owned() }
}
