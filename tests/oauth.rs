//! The built-in authorization server, its pure part: who a client is, and what it may ask the owner for.

use agent_codex::auth::oauth::client::{Client, is_document_url};
use agent_codex::auth::oauth::form::Parameters;
use agent_codex::auth::oauth::page::{Consent, consent, escape, rejection};
use agent_codex::auth::oauth::request::{AuthorizationRequest, Pending, Rejection, check};
use agent_codex::auth::oauth::{OAuthError, digest, redirect};
use agent_codex::auth::{CodexName, Credential, GrantId, Scope, Scopes, SealKeys};
use agent_codex::notebook::time::Timestamp;
use serde_json::{Value, json};

const ISSUER: &str = "https://codex.example";
const REDIRECT: &str = "https://host.example/callback";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn keys() -> SealKeys {
    SealKeys::parse("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap()
}

fn registers(metadata: &Value) -> Result<Client, OAuthError> {
    Client::from_registration(metadata.to_string().as_bytes())
}

fn client(uris: &[&str]) -> Client {
    registers(&json!({"redirect_uris": uris, "client_name": "Host"})).unwrap()
}

// --- Redirect URIs and clients ---

#[test]
fn a_redirect_uri_is_https_loopback_or_an_applications_own_scheme() {
    for good in [
        REDIRECT,
        "https://claude.ai/api/mcp/auth_callback",
        "https://host.example:8443/callback?from=codex",
        "http://localhost:8787/callback",
        "http://127.0.0.1/",
        "http://[::1]:1/x?y=z",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "com.example.app:/callback",
    ] {
        assert!(redirect::is_acceptable(good), "{good}");
    }
    for bad in [
        "",
        "/callback",
        "http://host.example/callback",
        "http://localhost.evil.example/",
        "http://10.0.0.1/",
        "https://user@host.example/",
        "https://user:secret@host.example/",
        "https://host.example/#fragment",
        "https://host.example/#",
        "https://host.example/a b",
        "https://host.example\\@evil.example/",
        "https://host.example/\r\nX: y",
        "https://hóst.example/",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "blob:https://host.example/x",
        "intent://x#Intent;end",
        "jar:https://host.example/x!/y",
        "feed:javascript:alert(1)",
        "ms-msdt:/id",
        "search-ms:query=x",
        "tel:1",
        "chrome-extension://x/y",
        "https://a;sandbox/callback",
        "https://a,b/callback",
        "https://*/callback",
        "https://evil%2ecom/callback",
        "https://%65vil.com/callback",
        "http://localhost:99999/callback",
        "https://host.example/callback?code=evil",
        "https://host.example/callback?a=b&%73tate=evil",
        "https://host.example/callback?iss=https://evil.example",
        &format!("https://host.example/{}", "x".repeat(600)),
    ] {
        assert!(!redirect::is_acceptable(bad), "{bad}");
    }
}

#[test]
fn a_redirect_uri_matches_as_a_string_but_for_the_port_of_a_loopback_address() {
    let registered = client(&[REDIRECT, "http://127.0.0.1:1000/callback?a=b", "app.example:/x"]);
    for good in [REDIRECT, "http://127.0.0.1:2000/callback?a=b", "http://127.0.0.1/callback?a=b", "app.example:/x"] {
        assert!(registered.may_use(good), "{good}");
    }
    for bad in [
        "https://host.example/callback/",
        "https://host.example/callback/../callback",
        "https://host.example/%63allback",
        "https://host.example/callback?x=1",
        "https://host.example/callback#x",
        "https://HOST.example/callback",
        "https://host.example:443/callback",
        "https://host.example:8443/callback",
        "https://host.example.evil.example/callback",
        "https://evil.example/callback",
        "https://host.example@evil.example/callback",
        "http://host.example/callback",
        "http://localhost:2000/callback?a=b",
        "http://127.0.0.1:2000/callback",
        "http://127.0.0.1:2000/callback?a=b#c",
        "http://evil@127.0.0.1:2000/callback?a=b",
        "http://127.0.0.1.evil.example:2000/callback?a=b",
        "app.example:/x/y",
        "",
    ] {
        assert!(!registered.may_use(bad), "{bad}");
    }
}

#[test]
fn a_registration_is_its_client_id_and_a_changed_or_retired_one_is_unknown() {
    let known = client(&[REDIRECT]);
    let id = known.seal(&keys());
    assert_eq!(Client::open(&keys(), &id), Some(known.clone()));
    let registered: Value = serde_json::from_str(&known.registered(&id, 7)).unwrap();
    assert_eq!(registered["client_id"], *id);
    let other = SealKeys::parse("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE").unwrap();
    assert_eq!(Client::open(&other, &id), None);
    for position in (0..id.len()).step_by(7) {
        let mut changed = id.clone().into_bytes();
        changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(changed == id || Client::open(&keys(), &changed).is_none(), "{position}");
    }
    let personal = Credential {
        codex: CodexName::parse("local").unwrap(),
        grant: GrantId::from_random([1; 16]),
        scopes: Scopes::ALL,
        issue: None,
    };
    assert_eq!(
        Client::open(&keys(), &personal.seal(&keys()).replace("acx_", "acl_")),
        None,
        "each purpose has its tags"
    );
}

#[test]
fn a_clients_name_is_shown_without_what_could_make_it_another() {
    for (name, shown) in [
        ("Claude” (verified). “", Some("Claude' (verified). '")),
        ("\u{202e}edualC\u{200b}\u{61c}", Some("edualC")),
        (" \u{200b}\u{2060} ", None),
        ("", None),
        ("メモ帳", Some("メモ帳")),
    ] {
        let client = registers(&json!({"redirect_uris": [REDIRECT], "client_name": name})).unwrap();
        assert_eq!(client.name.as_deref(), shown, "{name:?}");
    }
}

#[test]
fn a_parameter_that_is_not_utf_8_is_refused() {
    assert!(Parameters::parse(b"state=%FF%FE").is_err());
    assert!(Parameters::parse(b"%FF=x").is_err());
    assert_eq!(Parameters::parse(b"state=%E2%82%AC").unwrap().get("state"), Some("\u{20ac}"));
}

#[test]
fn a_registration_without_a_usable_redirect_uri_or_flow_is_refused() {
    for (metadata, code) in [
        (json!([]), "invalid_client_metadata"),
        (json!({}), "invalid_redirect_uri"),
        (json!({"redirect_uris": []}), "invalid_redirect_uri"),
        (json!({"redirect_uris": "https://a.example/"}), "invalid_redirect_uri"),
        (json!({"redirect_uris": [REDIRECT, 7]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": [REDIRECT, "javascript:x"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": vec![REDIRECT; 11]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": [REDIRECT], "grant_types": ["client_credentials"]}), "invalid_client_metadata"),
        (json!({"redirect_uris": [REDIRECT], "response_types": ["token"]}), "invalid_client_metadata"),
    ] {
        assert_eq!(registers(&metadata).unwrap_err().code, code, "{metadata}");
    }
    let odd = json!({"redirect_uris": [REDIRECT], "client_name": 7, "scope": [], "unknown": {}});
    assert_eq!(registers(&odd).unwrap().name, None);
}

#[test]
fn a_metadata_document_is_fetched_from_public_https_names_alone() {
    let own = "codex.example";
    for good in ["https://host.example/client.json", "https://a.b.example/x?y=z"] {
        assert!(is_document_url(good, own), "{good}");
    }
    for bad in [
        "http://host.example/client.json",
        "https://host.example",
        "https://host.example/",
        "https://host.example:8443/x",
        "https://host.example:443/x",
        "https://host.example/a/../b",
        "https://host.example/a/%2E%2e/b",
        "https://host.example/x#y",
        "https://user@host.example/x",
        "https://user:p@host.example/x",
        "https://HOST.example/x",
        "https://localhost/x",
        "https://localhost./x",
        "https://a.localhost/x",
        "https://intranet/x",
        "https://printer.local/x",
        "https://db.internal/x",
        "https://1.0.0.127.in-addr.arpa/x",
        "https://127.0.0.1/x",
        "https://2130706433/x",
        "https://0x7f.1/x",
        "https://0177.0.0.1/x",
        "https://10.0.0.1/x",
        "https://127.1/x",
        "https://127.0.0.0x1/x",
        "https://host.example./x",
        "https://169.254.169.254/latest",
        "https://[::1]/x",
        "https://[fd00::1]/x",
        "https://codex.example/x",
        "file:///etc/passwd",
        "https://",
        &format!("https://host.example/{}", "x".repeat(600)),
    ] {
        assert!(!is_document_url(bad, own), "{bad}");
    }
}

#[test]
fn a_metadata_document_must_name_its_own_url_and_a_public_client() {
    let id = "https://host.example/client.json";
    let document = json!({"client_id": id, "client_name": "Host", "redirect_uris": [REDIRECT]});
    let parse = |document: &Value| Client::from_document(id, document.to_string().as_bytes());
    assert_eq!(parse(&document).unwrap(), client(&[REDIRECT]));
    for (member, value) in [
        ("client_id", json!("https://host.example/other.json")),
        ("client_id", json!(null)),
        ("client_name", json!(null)),
        ("client_secret", json!("x")),
        ("token_endpoint_auth_method", json!("client_secret_post")),
        ("token_endpoint_auth_method", json!("private_key_jwt")),
        ("redirect_uris", json!(["http://evil.example/"])),
    ] {
        let mut changed = document.clone();
        changed[member] = value;
        assert!(parse(&changed).is_err(), "{changed}");
    }
    assert!(Client::from_document(id, b"<html>").is_err());
}

// --- Requests ---

fn query(changes: &[(&str, Option<&str>)]) -> Parameters {
    let mut all = vec![
        ("response_type", "code"),
        ("client_id", "acl_x"),
        ("redirect_uri", REDIRECT),
        ("state", "a&b=c"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("scope", "notes:read"),
        ("resource", "https://codex.example/mcp"),
    ];
    for (name, value) in changes {
        all.retain(|(known, _)| known != name);
        all.extend(value.map(|value| (*name, value)));
    }
    let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(all).finish();
    Parameters::parse(encoded.as_bytes()).unwrap()
}

fn checked(changes: &[(&str, Option<&str>)]) -> Result<AuthorizationRequest, Rejection> {
    check(&query(changes), &client(&[REDIRECT]), ISSUER)
}

#[test]
fn a_request_is_put_to_the_owner_if_every_parameter_is_right() {
    let request = checked(&[]).unwrap();
    assert_eq!((request.redirect_uri.as_str(), request.state.as_deref()), (REDIRECT, Some("a&b=c")));
    assert_eq!(request.scopes, Scopes::NONE.with(Scope::Read));
    assert_eq!(request.challenge, digest("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), "RFC 7636, appendix B");
    let none: [(&str, Option<&str>); 3] =
        [("scope", None), ("scope", Some("offline_access")), ("scope", Some("notes:write  notes:read openid"))];
    for change in none {
        assert_eq!(checked(&[change]).unwrap().scopes, Scopes::ALL, "{change:?}");
    }
    for resource in ["https://codex.example/mcp/", "https://codex.example", "https://codex.example/"] {
        assert!(checked(&[("resource", Some(resource))]).is_ok(), "{resource}");
    }
}

#[test]
fn a_request_whose_redirect_uri_is_not_the_clients_goes_nowhere() {
    for uri in [None, Some("https://evil.example/"), Some("https://host.example/callback?x"), Some("javascript:x")] {
        assert!(matches!(checked(&[("redirect_uri", uri)]), Err(Rejection::Here(_))), "{uri:?}");
    }
    assert!(matches!(checked(&[("state", Some(&"x".repeat(5_000)))]), Err(Rejection::Here(_))));
}

#[test]
fn any_other_fault_of_a_request_is_told_to_the_client_with_its_state_and_the_issuer() {
    for (name, value, error) in [
        ("response_type", None, "unsupported_response_type"),
        ("response_type", Some("token"), "unsupported_response_type"),
        ("response_type", Some("code id_token"), "unsupported_response_type"),
        ("response_mode", Some("fragment"), "invalid_request"),
        ("code_challenge", None, "invalid_request"),
        ("code_challenge", Some("short"), "invalid_request"),
        ("code_challenge", Some(&"A".repeat(44)), "invalid_request"),
        ("code_challenge_method", None, "invalid_request"),
        ("code_challenge_method", Some("plain"), "invalid_request"),
        ("code_challenge_method", Some("s256"), "invalid_request"),
        ("resource", None, "invalid_target"),
        ("resource", Some("https://other.example/mcp"), "invalid_target"),
        ("resource", Some("https://codex.example/mcp/x"), "invalid_target"),
        ("resource", Some("https://codex.example.evil.example/mcp"), "invalid_target"),
        ("scope", Some("openid profile"), "invalid_scope"),
        ("request", Some("x"), "request_not_supported"),
        ("request_uri", Some("https://host.example/x"), "request_uri_not_supported"),
    ] {
        let Err(Rejection::AtClient { location, .. }) = checked(&[(name, value)]) else { panic!("{name} {value:?}") };
        assert!(location.starts_with(&format!("{REDIRECT}?error={error}&error_description=")), "{location}");
        assert!(location.ends_with("&state=a%26b%3Dc&iss=https%3A%2F%2Fcodex.example"), "{location}");
    }
}

#[test]
fn parameters_are_refused_when_one_is_repeated_or_all_are_too_long() {
    assert!(Parameters::parse(b"a=1&b=2&a=1").is_err());
    assert!(Parameters::parse(format!("a={}", "x".repeat(40_000)).as_bytes()).is_err());
    assert_eq!(Parameters::parse(b"a=&b=%C3%A9+x").unwrap().get("a"), None, "an empty one is not there");
    assert_eq!(Parameters::parse(b"a=&b=%C3%A9+x").unwrap().get("b"), Some("\u{e9} x"));
}

#[test]
fn a_pending_request_opens_for_an_hour_with_these_keys_alone() {
    let request = checked(&[]).unwrap();
    let start = Timestamp::from_milliseconds(0);
    let pending = Pending { request, browser: None, person: None };
    let sealed = pending.seal(&keys(), start);
    assert_eq!(Pending::open(&keys(), &sealed, start.plus(3_599_999)), Some(pending));
    assert_eq!(Pending::open(&keys(), &sealed, start.plus(3_600_000)), None);
    assert_eq!(Pending::open(&keys(), &sealed[1..], start), None);
}

#[test]
fn an_answer_takes_the_state_and_the_issuer_along_and_keeps_the_query_of_the_uri() {
    let request = checked(&[]).unwrap();
    assert_eq!(
        request.granted("acc_1", ISSUER),
        format!("{REDIRECT}?code=acc_1&state=a%26b%3Dc&iss=https%3A%2F%2Fcodex.example")
    );
    assert!(request.denied(ISSUER).contains("?error=access_denied&"));
    assert_eq!(redirect::with_parameters("app:/x?y=z", &[("a", "\r\n&")]), "app:/x?y=z&a=%0D%0A%26");
}

// --- The page ---

#[test]
fn the_page_shows_what_is_asked_escaped_and_leads_only_here_and_to_the_client() {
    let mut request = checked(&[]).unwrap();
    request.client_name = Some("<script>\"'&\u{202e}x".to_owned());
    let shown = consent(&request, Consent { sealed: "se\"aled", codex: "<b>", person: None, problem: Some("<i>") });
    for part in [
        "“&lt;script&gt;&quot;&#39;&amp;\u{fffd}x”",
        "<b>host.example</b>",
        "value=\"se&quot;aled\"",
        "&lt;b&gt;",
        "&lt;i&gt;",
    ] {
        assert!(shown.html.contains(part), "{part}\n{}", shown.html);
    }
    assert!(!shown.html.contains("<script") && !shown.html.contains("notes:write"));
    assert!(shown.html.contains("nobody has checked the name"));
    assert!(shown.policy.contains("form-action 'self' https://host.example;"));
    assert!(shown.policy.starts_with("default-src 'none';") && shown.policy.contains("frame-ancestors 'none'"));
    request.client_id = "https://client.example/x.json".to_owned();
    request.redirect_uri = "http://127.0.0.1:7/".to_owned();
    request.scopes = Scopes::ALL;
    let shown = consent(&request, Consent { sealed: "", codex: "main", person: None, problem: None });
    assert!(shown.html.contains("published by <b>client.example</b>") && shown.html.contains("save new notes"));
    assert!(
        shown.html.contains("a program on this device (127.0.0.1)")
            && shown.policy.contains("form-action 'self' http:;")
    );
    assert!(shown.html.contains("just started this sign-in yourself"));
    let rejected = rejection("Why", "https://host.example/?error=x&iss=\"");
    assert!(rejected.html.contains("href=\"https://host.example/?error=x&amp;iss=&quot;\""));
    assert_eq!(escape("a\u{0}\n"), "a\u{fffd}\u{fffd}");
}
