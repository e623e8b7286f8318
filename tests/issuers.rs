//! Tokens of other issuers: what is read, what is believed, which key verifies, and when keys are asked for.

mod support;

use agent_codex::auth::challenge::metadata;
use agent_codex::auth::issuer::Issuer;
use agent_codex::auth::jwks::Jwks;
use agent_codex::auth::jwt::{Algorithm, Expected, Reason, TOKEN_CHARACTERS, Unverified};
use agent_codex::auth::key_cache::{KeyCache, Step};
use agent_codex::notebook::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::START;
use support::tokens::{ISSUER, RESOURCE, SECONDS, claims, header, token_of, with};

const MINUTE: i64 = 60_000;

fn believed(header: &str, claims: &str) -> Result<(), Reason> {
    let types = ["at+jwt".to_owned()];
    let expected = Expected { issuer: ISSUER, audience: RESOURCE, types: &types };
    expected.check(&Unverified::parse(&token_of(header, claims))?, Timestamp::from_milliseconds(START))
}

fn header_with(changes: Value) -> Result<(), Reason> {
    believed(&with(header(), changes), &claims().to_string())
}

fn claims_with(changes: Value) -> Result<(), Reason> {
    believed(&header().to_string(), &with(claims(), changes))
}

#[test]
fn a_token_with_the_right_type_and_claims_is_believed_as_far_as_it_can_be_without_its_signature() {
    assert_eq!(header_with(json!({})), Ok(()));
    for typ in ["at+jwt", "AT+JWT", "application/at+jwt"] {
        assert_eq!(header_with(json!({ "typ": typ })), Ok(()));
    }
    assert_eq!(claims_with(json!({"aud": ["x", RESOURCE]})), Ok(()));
    assert_eq!(claims_with(json!({"iat": null, "jti": null, "scope": null})), Ok(()));
    assert_eq!(claims_with(json!({"exp": 1.9e9, "nbf": 1.5, "more": [1, {"a": 0.1}]})), Ok(()));
}

#[test]
fn a_time_that_no_double_holds_is_refused() {
    for time in ["1e999", "1666E80999999999", "-1e400"] {
        for name in ["exp", "nbf", "iat"] {
            let claims = with(claims(), json!({ name: "TIME" })).replace("\"TIME\"", time);
            assert_eq!(believed(&header().to_string(), &claims), Err(Reason::Malformed), "{name}: {time}");
        }
    }
}

#[test]
fn an_algorithm_other_than_the_three_is_refused() {
    for alg in ["none", "None", "HS256", "RS384", "PS256", "ES384", "es256", ""] {
        assert_eq!(header_with(json!({ "alg": alg })), Err(Reason::Algorithm), "{alg}");
    }
    for alg in [json!(null), json!(1), json!(["ES256"])] {
        assert_eq!(header_with(json!({ "alg": alg })), Err(Reason::Malformed));
    }
}

#[test]
fn a_token_that_demands_to_be_understood_is_refused() {
    assert_eq!(header_with(json!({"crit": ["exp"]})), Err(Reason::Critical));
    assert_eq!(header_with(json!({"crit": []})), Err(Reason::Critical));
}

#[test]
fn a_key_or_an_address_in_the_header_is_nothing() {
    let more = json!({"jwk": {"kty": "oct", "k": "AA"}, "jku": "https://evil.example", "x5u": "https://evil.example", "x5c": ["x"]});
    let with_key = token_of(&with(header(), more), &claims().to_string());
    let without = token_of(&header().to_string(), &claims().to_string());
    let (with_key, without) = (Unverified::parse(&with_key).unwrap(), Unverified::parse(&without).unwrap());
    assert_eq!(Unverified { signing_input: "", ..with_key }, Unverified { signing_input: "", ..without });
}

#[test]
fn a_token_of_another_type_is_refused() {
    for typ in [json!("JWT"), json!(null), json!("dpop+jwt"), json!(""), json!("application/application/at+jwt")] {
        assert_eq!(header_with(json!({ "typ": typ })), Err(Reason::Type), "{typ}");
    }
    assert_eq!(header_with(json!({"typ": 1})), Err(Reason::Malformed));
}

#[test]
fn a_token_of_another_issuer_or_for_another_audience_is_refused() {
    for iss in ["https://issuer.example/", "https://ISSUER.example", "http://issuer.example", ""] {
        assert_eq!(claims_with(json!({ "iss": iss })), Err(Reason::Issuer), "{iss}");
    }
    for aud in [json!("https://notes.example"), json!("https://notes.example/mcp/"), json!([]), json!(["x"]), json!("")]
    {
        assert_eq!(claims_with(json!({ "aud": aud })), Err(Reason::Audience), "{aud}");
    }
    assert_eq!(claims_with(json!({"sub": ""})), Err(Reason::Subject));
}

#[test]
fn a_token_is_good_in_its_time_give_or_take_a_minute() {
    for (changes, expected) in [
        (json!({"exp": SECONDS - 59}), Ok(())),
        (json!({"exp": SECONDS - 60}), Err(Reason::Expired)),
        (json!({"exp": 0}), Err(Reason::Expired)),
        (json!({"exp": -1e300}), Err(Reason::Expired)),
        (json!({"nbf": SECONDS + 60}), Ok(())),
        (json!({"nbf": SECONDS + 61}), Err(Reason::NotYetValid)),
        (json!({"nbf": 1e300}), Err(Reason::NotYetValid)),
        (json!({"iat": SECONDS + 61}), Err(Reason::NotYetValid)),
    ] {
        assert_eq!(claims_with(changes.clone()), expected, "{changes}");
    }
}

#[test]
fn a_claim_that_is_missing_or_of_another_kind_is_refused() {
    for changes in [
        json!({"iss": null}),
        json!({"iss": 1}),
        json!({"sub": null}),
        json!({"sub": 1}),
        json!({"aud": null}),
        json!({"aud": {}}),
        json!({"aud": [1]}),
        json!({"exp": null}),
        json!({"exp": "1900000000"}),
        json!({"exp": true}),
        json!({"nbf": "1"}),
        json!({"iat": []}),
        json!({"jti": 1}),
        json!({"scope": 1}),
        json!({"scope": null, "scp": {}}),
    ] {
        assert_eq!(claims_with(changes.clone()), Err(Reason::Malformed), "{changes}");
    }
}

#[test]
fn json_that_readers_could_read_differently_is_refused() {
    let claims = claims().to_string();
    for (from, to) in [
        ("{", r#"{"sub":"eve","#),
        ("{", r#"{"s\u0075b":"eve","#),
        ("ada", r"ad\ud800"),
        ("{", "\u{feff}{"),
        ("{", "{{"),
    ] {
        assert_eq!(believed(&header().to_string(), &claims.replacen(from, to, 1)), Err(Reason::Malformed), "{to}");
    }
    assert_eq!(believed(r#"{"alg":"none","alg":"ES256","typ":"at+jwt"}"#, &claims), Err(Reason::Malformed));
    assert_eq!(believed("[]", &claims), Err(Reason::Malformed));
}

#[test]
fn a_token_has_three_parts_of_base64url_and_at_most_8192_characters() {
    let token = token_of(&header().to_string(), &claims().to_string());
    assert!(Unverified::parse(&token).is_ok());
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let long = token_of(&header().to_string(), &with(claims(), json!({"more": "x".repeat(TOKEN_CHARACTERS)})));
    for other in [
        "",
        ".",
        "..",
        "...",
        signed,
        &format!("{token}."),
        &format!("{token}.x"),
        &format!("{token}="),
        &format!("{signed}.{signature}!"),
        &token.replace('.', ". "),
        &long,
    ] {
        assert_eq!(Unverified::parse(other), Err(Reason::Malformed), "{other}");
    }
}

#[test]
fn the_claims_of_an_id_token_are_read_too() {
    let more = json!({"nonce": "n", "azp": "client", "email": "ada@example.com", "email_verified": true, "scope": null, "scp": ["a b", "c"]});
    let token = token_of(&header().to_string(), &with(claims(), more));
    let claims = Unverified::parse(&token).unwrap().claims;
    assert_eq!(claims.nonce.as_deref(), Some("n"));
    assert_eq!(claims.authorized_party.as_deref(), Some("client"));
    assert_eq!(claims.email.as_deref(), Some("ada@example.com"));
    assert_eq!(claims.scopes, ["a", "b", "c"]);
    assert!(claims.email_verified);
    for (value, verified) in [(json!("true"), true), (json!("false"), false), (json!(1), false), (json!(null), false)] {
        let token = token_of(&header().to_string(), &with(self::claims(), json!({ "email_verified": value })));
        assert_eq!(Unverified::parse(&token).unwrap().claims.email_verified, verified);
    }
}

fn number(bytes: usize) -> String {
    URL_SAFE_NO_PAD.encode(vec![0xff; bytes])
}

fn ec(kid: &str) -> Value {
    json!({"kty": "EC", "crv": "P-256", "x": number(32), "y": number(32), "kid": kid})
}

fn rsa(kid: &str) -> Value {
    json!({"kty": "RSA", "n": number(256), "e": "AQAB", "kid": kid})
}

fn ed(kid: &str) -> Value {
    json!({"kty": "OKP", "crv": "Ed25519", "x": number(32), "kid": kid})
}

fn keys(keys: &[Value]) -> Jwks {
    Jwks::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
}

#[test]
fn a_key_verifies_by_the_algorithm_of_its_own_kind_and_by_no_other() {
    let keys = keys(&[ec("ec"), rsa("rsa"), ed("ed")]);
    let of = [("ec", Algorithm::Es256), ("rsa", Algorithm::Rs256), ("ed", Algorithm::EdDsa)];
    for (kid, own) in of {
        for (_, algorithm) in of {
            assert_eq!(keys.select(algorithm, Some(kid)).is_some(), algorithm == own, "{kid} {algorithm:?}");
        }
    }
}

#[test]
fn a_key_id_is_compared_and_is_nothing_else() {
    let long = "k".repeat(8000);
    let found = keys(&[ec("one"), rsa("two")]);
    for kid in ["../../dev/null", "' OR 1=1 --", "https://evil.example", "ONE", "", "one\0", "two", &long] {
        assert_eq!(found.select(Algorithm::Es256, Some(kid)), None, "{kid}");
    }
    assert!(keys(&[ec(&long)]).select(Algorithm::Es256, Some(&long)).is_some());
}

#[test]
fn a_token_without_a_key_id_takes_the_only_key_that_fits_and_none_of_two() {
    assert!(keys(&[ec("one"), rsa("two")]).select(Algorithm::Es256, None).is_some());
    assert_eq!(keys(&[ec("one"), ec("two")]).select(Algorithm::Es256, None), None);
    assert_eq!(keys(&[ec("one"), ec("one")]).select(Algorithm::Es256, Some("one")), None);
}

#[test]
fn keys_that_are_for_something_else_weak_secret_or_broken_are_left_out() {
    for (key, changes) in [
        (ec("k"), json!({"use": "enc"})),
        (ec("k"), json!({"alg": "ECDH-ES"})),
        (ec("k"), json!({"alg": "RS256"})),
        (ec("k"), json!({"key_ops": ["sign"]})),
        (ec("k"), json!({"d": number(32)})),
        (ec("k"), json!({"crv": "P-384"})),
        (ec("k"), json!({"y": null})),
        (ec("k"), json!({"x": number(31)})),
        (ec("k"), json!({"kty": "oct", "k": "AA"})),
        (rsa("k"), json!({"n": number(255)})),
        (rsa("k"), json!({"n": number(1025)})),
        (rsa("k"), json!({"alg": "RS512"})),
        (rsa("k"), json!({"e": ""})),
        (ed("k"), json!({"x": "!"})),
        (ed("k"), json!({"crv": "X25519"})),
        (ed("k"), json!({"kid": 1})),
    ] {
        let key = serde_json::from_str(&with(key, changes)).unwrap();
        assert_eq!(keys(&[key, json!(1), json!({})]), Jwks::default());
    }
    assert!(
        keys(&[
            serde_json::from_str(&with(ec("k"), json!({"use": "sig", "alg": "ES256", "key_ops": ["verify"]}))).unwrap()
        ])
        .select(Algorithm::Es256, Some("k"))
        .is_some()
    );
    for text in ["", "[]", "{}", r#"{"keys":{}}"#, r#"{"keys":[],"keys":[]}"#] {
        assert_eq!(Jwks::parse(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn of_a_key_only_its_public_numbers_go_on() {
    let keys = keys(&[serde_json::from_str(&with(
        ed("k"),
        json!({"x5u": "https://evil.example", "alg": "EdDSA", "ext": false}),
    ))
    .unwrap()]);
    let json: Value = serde_json::from_str(&keys.select(Algorithm::EdDsa, None).unwrap().to_json()).unwrap();
    assert_eq!(json, json!({"kty": "OKP", "crv": "Ed25519", "x": number(32)}));
}

#[test]
fn the_settings_are_whole_or_wrong() {
    let issuers = Issuer::parse_all(r#"[{"issuer":"https://a.example/t/","types":["JWT"]},{"issuer":"https://b.example:8443","audience":"x","jwks":"https://c.example/k?p=1"}]"#).unwrap();
    assert_eq!(issuers[0].expected(RESOURCE).audience, RESOURCE);
    assert_eq!(issuers[0].expected(RESOURCE).types, ["jwt"]);
    assert_eq!(
        (issuers[1].expected(RESOURCE).audience, issuers[1].expected(RESOURCE).types),
        ("x", &["at+jwt".to_owned()][..])
    );
    let nine: Vec<_> = (0..9).map(|n| json!({"issuer": format!("https://{n}.example")})).collect();
    for setting in [
        "",
        "{}",
        "[{}]",
        r#"["https://a.example"]"#,
        r#"[{"issuer":"http://a.example"}]"#,
        r#"[{"issuer":"https://"}]"#,
        r#"[{"issuer":"https://a.example?x"}]"#,
        r#"[{"issuer":"https://u@a.example"}]"#,
        r#"[{"issuer":"https://a.example/#"}]"#,
        r#"[{"issuer":"https://a.example/ b"}]"#,
        r#"[{"issuer":"https://a.example","audience":""}]"#,
        r#"[{"issuer":"https://a.example","types":[]}]"#,
        r#"[{"issuer":"https://a.example","types":["id_token"]}]"#,
        r#"[{"issuer":"https://a.example","jwks":"http://a.example"}]"#,
        r#"[{"issuer":"https://a.example","more":1}]"#,
        r#"[{"issuer":"https://a.example"},{"issuer":"https://a.example"}]"#,
        r#"[{"issuer":"https://a.example","issuer":"https://b.example"}]"#,
        &json!(nine).to_string(),
    ] {
        assert!(Issuer::parse_all(setting).is_err(), "{setting}");
    }
}

#[test]
fn metadata_is_believed_of_its_own_issuer_alone() {
    let issuer = Issuer::parse_all(&json!([{ "issuer": ISSUER }]).to_string()).unwrap().remove(0);
    let keys_in = |issuer_in: &str, keys: &str| {
        issuer.url_in(json!({"issuer": issuer_in, "jwks_uri": keys}).to_string().as_bytes(), "jwks_uri")
    };
    assert_eq!(keys_in(ISSUER, "https://keys.example/k?v=1").as_deref(), Some("https://keys.example/k?v=1"));
    for (issuer_in, keys) in [
        ("https://issuer.example/", "https://k.example"),
        ("https://evil.example", "https://k.example"),
        (ISSUER, "http://k.example"),
        (ISSUER, ""),
    ] {
        assert_eq!(keys_in(issuer_in, keys), None);
    }
    assert_eq!(issuer.url_in(b"{}", "jwks_uri"), None);
    assert_eq!(
        issuer.url_in(
            format!(r#"{{"issuer":"x","issuer":"{ISSUER}","jwks_uri":"https://k.example"}}"#).as_bytes(),
            "jwks_uri"
        ),
        None
    );
}

#[test]
fn the_protected_resource_names_its_authorization_servers() {
    let metadata: Value =
        serde_json::from_str(&metadata("https://notes.example", &["https://notes.example", ISSUER])).unwrap();
    assert_eq!(metadata["authorization_servers"], json!(["https://notes.example", ISSUER]));
    assert_eq!(metadata["resource"], RESOURCE);
    assert_eq!(metadata["scopes_supported"], json!(["notes:read", "notes:write"]));
}

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_milliseconds(START + minutes * MINUTE)
}

#[test]
fn ten_thousand_tokens_of_unknown_keys_have_the_keys_asked_for_once_a_minute() {
    let mut cache = KeyCache::default();
    let mut asked = 0;
    for minute in 0..3 {
        for number in 0..10_000 {
            let now = at(minute).plus(number % 60);
            match cache.step(Algorithm::Es256, Some(&number.to_string()), now) {
                Step::Ask => {
                    asked += 1;
                    cache.end(Some(keys(&[ec("one")])), now);
                }
                step => assert_eq!(step, Step::Refuse),
            }
        }
    }
    assert_eq!(asked, 3);
}

#[test]
fn who_comes_while_the_keys_are_asked_for_waits_unless_that_never_ends() {
    let mut cache = KeyCache::default();
    assert_eq!(cache.step(Algorithm::Es256, None, at(0)), Step::Ask);
    assert_eq!(cache.step(Algorithm::Es256, None, at(0)), Step::Wait);
    assert_eq!(cache.step(Algorithm::Es256, None, at(0).plus(15_000)), Step::Refuse);
    assert_eq!(cache.step(Algorithm::Es256, None, at(1)), Step::Ask);
    cache.end(None, at(1));
    assert_eq!(cache.step(Algorithm::Es256, None, at(1)), Step::Refuse);
}

#[test]
fn keys_are_asked_for_anew_after_ten_minutes_and_used_for_an_hour_at_most() {
    let mut cache = KeyCache::default();
    cache.end(Some(keys(&[ec("one")])), at(0));
    let mut step = |minutes| cache.step(Algorithm::Es256, Some("one"), at(minutes));
    assert!(matches!(step(9), Step::Use(_)));
    assert!(matches!(step(10), Step::UseAndAsk(_)));
    assert!(matches!(step(10), Step::Use(_)));
    assert!(matches!(step(59), Step::UseAndAsk(_)));
    assert_eq!(step(60), Step::Ask);
}
