//! Scopes: what a grant permits.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::notebook::arguments::Tool;

/// A permission, as RFC 6749, section 3.3 spells scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// `notes:read`: search and get.
    Read,
    /// `notes:write`: with `notes:read`, save and update.
    Write,
}

impl Scope {
    const ALL: [Self; 2] = [Self::Read, Self::Write];

    /// The scope as it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "notes:read",
            Self::Write => "notes:write",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Read => 1,
            Self::Write => 2,
        }
    }
}

/// A set of scopes. It is written with a space between them, and sealed as one byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scopes(u8);

impl Scopes {
    /// No scope.
    pub const NONE: Self = Self(0);
    /// Every scope.
    pub const ALL: Self = Self(Scope::Read.bit() | Scope::Write.bit());

    /// The scopes that a call of `tool` needs.
    #[must_use]
    pub const fn needed_by(tool: Tool) -> Self {
        if tool.writes() { Self::ALL } else { Self(Scope::Read.bit()) }
    }

    /// The set with this scope in it too.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// Whether every one of `needed` is in this set.
    #[must_use]
    pub const fn include(self, needed: Self) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// The set of scopes that are in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set as a byte.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        self.0
    }

    /// The set that `byte` stands for; `None` when it names a scope that there is not.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        if byte & !Self::ALL.0 == 0 { Some(Self(byte)) } else { None }
    }

    /// The set of these scopes; `None` when one is unknown, or there is none.
    #[must_use]
    pub fn parse<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<Self> {
        let mut scopes = Self::NONE;
        for name in names {
            scopes = scopes.with(Scope::ALL.into_iter().find(|scope| scope.name() == name)?);
        }
        (scopes != Self::NONE).then_some(scopes)
    }

    /// The set of those scopes among the names that there are.
    #[must_use]
    pub fn known_of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let known = |name| Scope::ALL.into_iter().find(|scope| scope.name() == name);
        names.into_iter().filter_map(known).fold(Self::NONE, Self::with)
    }

    /// The names of the scopes in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Scope::ALL.into_iter().filter(move |scope| self.0 & scope.bit() != 0).map(Scope::name)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.names().enumerate() {
            if position > 0 {
                formatter.write_str(" ")?;
            }
            formatter.write_str(name)?;
        }
        Ok(())
    }
}
