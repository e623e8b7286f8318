//! When the keys of an issuer are asked for.
//!
//! Keys are used for an hour at most, and after ten minutes they are asked for anew while they are still used, so that an
//! issuer that is away for a while is not missed. A token whose key is not there has them asked for too. Whatever the cause,
//! they are asked for once a minute at most, so that forged tokens can't make this server a burden to the issuer.

use super::jwks::{Jwk, Jwks};
use super::jwt::Algorithm;
use crate::notebook::time::{HOUR, SECOND, Timestamp};

/// From which age on keys are asked for anew, in milliseconds.
const FRESH: i64 = 600 * SECOND;
/// Up to which age keys are used.
const USABLE: i64 = HOUR;
/// How long after one attempt the next may begin.
const PAUSE: i64 = 60 * SECOND;
/// How long an attempt can last. One that has not ended then never will.
const LONGEST_ATTEMPT: i64 = 15 * SECOND;

/// What is known of an issuer's keys.
#[derive(Debug, Default)]
pub struct KeyCache {
    keys: Option<(Jwks, Timestamp)>,
    began: Option<Timestamp>,
    ended: bool,
}

/// What to do for a token.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Verify with this key.
    Use(Jwk),
    /// Verify with this key, and have the keys asked for meanwhile.
    UseAndAsk(Jwk),
    /// Ask for the keys, then see again.
    Ask,
    /// Somebody is asking: wait, then see again.
    Wait,
    /// There is no such key.
    Refuse,
}

impl KeyCache {
    /// The next step for a token of this algorithm and this key's id. Who is told to ask must do so, and say how it ended.
    pub fn step(&mut self, algorithm: Algorithm, kid: Option<&str>, now: Timestamp) -> Step {
        let since = |time: Timestamp| now.milliseconds().saturating_sub(time.milliseconds());
        let is_asking = !self.ended && self.began.is_some_and(|began| since(began) < LONGEST_ATTEMPT);
        let may_ask = !is_asking && self.began.is_none_or(|began| since(began) >= PAUSE);
        let usable = self.keys.as_ref().filter(|(_, at)| since(*at) < USABLE);
        let found = usable.and_then(|(keys, at)| Some((keys.select(algorithm, kid)?.clone(), since(*at) >= FRESH)));
        let step = match found {
            Some((key, true)) if may_ask => Step::UseAndAsk(key),
            Some((key, _)) => Step::Use(key),
            None if is_asking => Step::Wait,
            None if may_ask => Step::Ask,
            None => Step::Refuse,
        };
        if matches!(step, Step::UseAndAsk(_) | Step::Ask) {
            self.began = Some(now);
            self.ended = false;
        }
        step
    }

    /// Takes the keys that the issuer gave; without any, those of before stay.
    pub fn end(&mut self, keys: Option<Jwks>, now: Timestamp) {
        self.ended = true;
        if let Some(keys) = keys {
            self.keys = Some((keys, now));
        }
    }
}
