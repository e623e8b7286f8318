//! A codex, told as simply as can be: its entries, each with the request that saved it.
//!
//! An id is the server's to choose, so a save of which no answer came leaves an entry whose id is not known until some
//! answer shows it. No two writes of a history write the same content, but for saves that are repeated, so such an
//! entry is known by its content: nobody can have updated it without knowing its id.

use serde::Deserialize;
use stateright::semantics::SequentialSpec;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Call {
    Save {
        request_id: String,
        content: String,
    },
    Get {
        id: String,
    },
    Update {
        id: String,
        expected_revision: u64,
        content: String,
    },
    /// Every entry, in the order of ids.
    Browse,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    Entry(Shown),
    Page(Vec<Shown>),
    /// The request id was used for another entry, or the entry is at another revision.
    Conflict,
    NotFound,
    /// What nobody saw.
    Unseen,
}

/// An entry as an answer shows it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Shown {
    id: String,
    revision: u64,
    content: String,
}

#[derive(Clone, Debug)]
struct Entry {
    request_id: String,
    input: String,
    id: Option<String>,
    revision: u64,
    content: String,
}

impl Entry {
    /// Whether this is the entry that was shown; its id becomes known by that.
    fn is(&mut self, shown: &Shown) -> bool {
        let same = self.revision == shown.revision && self.content == shown.content;
        same && *self.id.get_or_insert_with(|| shown.id.clone()) == shown.id
    }
}

#[derive(Clone, Debug, Default)]
pub struct Codex {
    entries: Vec<Entry>,
}

impl Codex {
    /// The entry of this id. One that nobody has seen yet can be any id's that `shown` tells.
    fn entry(&mut self, id: &str, shown: Option<&Shown>) -> Option<&mut Entry> {
        let known = self.entries.iter().position(|entry| entry.id.as_deref() == Some(id));
        let unseen = || {
            let content = &shown?.content;
            self.entries.iter().position(|entry| entry.id.is_none() && entry.content == *content)
        };
        let position = known.or_else(unseen)?;
        self.entries.get_mut(position)
    }

    fn save(&mut self, request_id: &str, content: &str, answer: &Answer) -> bool {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.request_id == request_id) {
            return match answer {
                Answer::Entry(shown) => entry.input == content && entry.is(shown),
                Answer::Conflict => entry.input != content,
                Answer::Unseen => true,
                Answer::Page(_) | Answer::NotFound => false,
            };
        }
        let id = match answer {
            Answer::Entry(shown) if shown.revision == 1 && shown.content == content => Some(shown.id.clone()),
            Answer::Unseen => None,
            _ => return false,
        };
        if id.is_some() && self.entries.iter().any(|entry| entry.id == id) {
            return false;
        }
        let [request_id, input, content] = [request_id, content, content].map(str::to_owned);
        self.entries.push(Entry { request_id, input, id, revision: 1, content });
        true
    }

    fn get(&mut self, id: &str, answer: &Answer) -> bool {
        match answer {
            Answer::Entry(shown) => shown.id == id && self.entry(id, Some(shown)).is_some_and(|entry| entry.is(shown)),
            Answer::NotFound => self.entry(id, None).is_none(),
            Answer::Unseen => true,
            Answer::Page(_) | Answer::Conflict => false,
        }
    }

    fn update(&mut self, id: &str, expected: u64, content: &str, answer: &Answer) -> bool {
        // Who names an id has seen it, so an entry that nobody has seen is not meant.
        let entry = self.entry(id, None);
        match (entry, answer) {
            (Some(entry), Answer::Entry(_) | Answer::Unseen) if entry.revision == expected => {
                entry.revision += 1;
                content.clone_into(&mut entry.content);
                matches!(answer, Answer::Unseen) || matches!(answer, Answer::Entry(shown) if entry.is(shown))
            }
            (Some(entry), Answer::Conflict) => entry.revision != expected,
            (None, Answer::NotFound) | (_, Answer::Unseen) => true,
            _ => false,
        }
    }

    fn browse(&mut self, answer: &Answer) -> bool {
        match answer {
            Answer::Page(page) => {
                page.is_sorted_by(|one, next| one.id < next.id)
                    && page.len() == self.entries.len()
                    && page.iter().all(|shown| self.entry(&shown.id, Some(shown)).is_some_and(|entry| entry.is(shown)))
            }
            Answer::Unseen => true,
            _ => false,
        }
    }
}

impl SequentialSpec for Codex {
    type Op = Call;
    type Ret = Answer;

    fn invoke(&mut self, call: &Call) -> Answer {
        self.is_valid_step(call, &Answer::Unseen);
        Answer::Unseen
    }

    fn is_valid_step(&mut self, call: &Call, answer: &Answer) -> bool {
        match call {
            Call::Save { request_id, content } => self.save(request_id, content, answer),
            Call::Get { id } => self.get(id, answer),
            Call::Update { id, expected_revision, content } => self.update(id, *expected_revision, content, answer),
            Call::Browse => self.browse(answer),
        }
    }
}

#[cfg(test)]
mod tests;
