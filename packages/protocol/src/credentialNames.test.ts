import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCredentialInQuery, findCredentialInTarget } from "./credentialNames.ts";

const address = "0x1111111111111111111111111111111111111111";
const encodeAll = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

describe("findCredentialInTarget", () => {
  it.each([
    "/tokens",
    "/tokens?",
    "/tokens?q=key&sort=new&limit=5",
    "/tokens?q=password",
    "/tokens?q=signature",
    "/tokens?monkey=1&keyboard=2&authority=3&tokens=4&secretary=5&author=6&forbearer=7&sort_key=8",
    "/tokens?%E0%A4%A=1",
    "/tokens?q=100%&x=%%%",
    "/tokens?q=a;b?c",
    "/tokens?q=a%3Bkey%3Db",
    `/fees/positions?token=${address}&wallet=${address}`,
    `/fees/positions?token=${address.slice(0, -1)}&wallet=1`,
    `/trades?base_token=${address}`,
    `/stream?token=${address},${address}`,
    `/stream?token=${address}%2C${address}`,
    `/stream?token=&token=+`,
    "/qr.png?text=ethereum:0x1111111111111111111111111111111111111111@4663",
    "/gallery?cursor=eyJhIjoxfQ&limit=60",
    `/tokens/${address}/candles?interval=1h&limit=300&before=1700000000`,
    "/businesses?q=a&source=own&kind=token&limit=24",
    "/ws/risk?pair=BTC_USD",
    "/api/auth/callback/code_host?code=abc&state=def&iss=https%3A%2F%2Fidp.example&scope=openid&authuser=0",
    "/api/auth/callback/code_host?error=access_denied&session_state=abc",
    "/api/alerts/unsubscribe/AbC-dEf_123",
    "/a@b?q=c@d",
    "/tokens?api_key",
    "http://host/tokens?q=user@host",
  ])("accepts %s", (target) => {
    expect(findCredentialInTarget(target)).toBeNull();
  });

  it.each([
    "api_key",
    "api-key",
    "api.key",
    "apikey",
    "apiKey",
    "API_KEY",
    "ApiKey",
    "APIKey",
    "api_key[]",
    "api_key[0]",
    "api[key]",
    "api%5Bkey%5D",
    "api+key",
    "api%20key",
    "%61pi_key",
    "%2561pi_key",
    "api%255Fkey",
    "x-api-key",
    "X-API-Key",
    "my_apikey2",
    "key",
    "key[]",
    "KEY",
    "auth",
    "auth[token]",
    "auth.token",
    "auth_token",
    "access_token",
    "accessToken",
    "refresh_token",
    "id_token",
    "oauth_token",
    "session_token",
    "user[access_token]",
    "client_secret",
    "secret",
    "my-secret",
    "private_key",
    "privateKey",
    "access_key",
    "AWSAccessKeyId",
    "X-Amz-Signature",
    "X-Amz-Credential",
    "pwd",
    "password",
    "passwd",
    "user[password]",
    "filter.password",
    "passphrase",
    "mnemonic",
    "seed_phrase",
    "session",
    "session_id",
    "sessionid",
    "sid",
    "authorization",
    "Authorization",
    "bearer",
    "jwt",
    "signature",
    "permit_signature",
    "sig",
    "credential",
    "credentials",
    "ａｐｉ＿ｋｅｙ",
    "bot_token",
    "csrf-token",
  ])("finds the name %s", (name) => {
    for (const target of [
      `/tokens?${name}=abc`,
      `/tokens?limit=5&${name}=abc`,
      `/tokens?limit=5;${name}=abc`,
      `/tokens?%E0%A4%A=1&${name}=abc&%=2`,
      `/tokens?${name}=%E0%A4%A`,
      `/tokens?limit=5?${name}=abc`,
      `/tokens;${name}=abc/trades`,
      `/tokens#${name}=abc`,
      `https://host/tokens?${name}=abc`,
    ]) {
      expect([target, findCredentialInTarget(target)?.kind]).toEqual([target, "parameter"]);
    }
  });

  it.each([
    "token=not-an-address",
    "token=deadbeef",
    "TOKEN=secret",
    "token[]=secret",
    "%74oken=secret",
    "token=%73%65%63%72%65%74",
    `token=${address}&token=secret`,
    `token=${address},secret`,
    "token=exactly15digits",
    "token=a&limit=5",
  ])("reports that %s is not an address", (query) => {
    expect(findCredentialInTarget(`/stream?${query}`)).toEqual({ kind: "token_not_address" });
  });

  it.each([
    `token=${"a".repeat(40)}`,
    "token=eyJhbGciOiJIUzI1NiJ9.e30.x",
    `token=${"0x"}${"a".repeat(64)}`,
    `token=${address},eyJhbGciOiJIUzI1NiJ9.e30.x`,
    "token=exactly-16-digits",
    "token=correct+horse+battery",
    "TOKEN[]=correct-horse-battery",
    `token=short&token=${"a".repeat(40)}`,
  ])("reports %s, which is long enough for a credential", (query) => {
    expect(findCredentialInTarget(`/stream?${query}`)).toEqual({ kind: "parameter", term: "token" });
  });

  it("finds a credential behind a short token", () => {
    expect(findCredentialInTarget("/stream?token=a&api_key=b")).toEqual({ kind: "parameter", term: "apikey" });
    expect(findCredentialInTarget("/stream?token=a&q=slip_b")).toEqual({ kind: "api_key" });
    expect(findCredentialInTarget("/a;token=a/b?key=c")).toEqual({ kind: "parameter", term: "key" });
  });

  it.each([
    "/tokens%3Fkey=abc",
    "/tokens%3Fkey%3Dabc",
    "/tokens%253Flimit=5&key%3Dabc",
    "/key=abc/tokens",
    "/key%3Dabc/tokens",
    "/tokens;a=b;key=abc",
    "/tokens?a%26key=abc",
  ])("finds a parameter whose separators are encoded or at other places: %s", (target) => {
    expect(findCredentialInTarget(target)).toEqual({ kind: "parameter", term: "key" });
  });

  it.each([
    "/tokens?q=slip_abcdefgh",
    "/tokens?q=%73lip_abcdefgh",
    "/tokens?q=%2573lip_abcdefgh",
    "/tokens?q=sl%69p%5Fabcdefgh",
    "/tokens?q=Bearer+slip_abcdefgh",
    "/tokens?slip_abcdefgh",
    "/tokens?slip_abcdefgh=1",
    "/tokens?token=slip_abcdefgh",
    "/tokens?a=%E0%A4%A&q=%73lip_abcdefgh&b=%",
    "/tokens?q=%ff%73lip_abcdefgh",
    "/tokens/slip_abcdefgh",
    "/tokens/%73lip_abcdefgh?q=%",
    "/tokens#slip_abcdefgh",
    "/tokens?q=SLIP_ABCDEFGH",
  ])("finds an API key in %s", (target) => {
    expect(findCredentialInTarget(target)).toEqual({ kind: "api_key" });
  });

  it.each(["http://user:pw@host/tokens", "http://user@host/tokens", "wss://:pw@host/ws"])(
    "finds userinfo in %s",
    (target) => {
      expect(findCredentialInTarget(target)).toEqual({ kind: "userinfo" });
    },
  );

  it("finds pairs that are encoded together with their separators", () => {
    expect(findCredentialInTarget("/tokens?api_key%3Dabc")).toEqual({ kind: "parameter", term: "apikey" });
    expect(findCredentialInTarget("/tokens?limit%3D5%26api_key%3Dabc")).toEqual({ kind: "parameter", term: "apikey" });
  });
});

describe("findCredentialInQuery", () => {
  const name = fc.constantFrom("api_key", "Access-Token", "client.secret", "user[password]", "x-api-key[]");
  const noise = fc.array(
    fc.oneof(
      fc.constantFrom("%", "%zz", "%E0%A4%A=1", "q=%ff", "limit=5", "=", "", "a=b=c", "+"),
      fc.webQueryParameters(),
    ),
    { maxLength: 4 },
  );

  it("finds a name in any encoding between other pairs", () => {
    const written = fc
      .tuple(
        name,
        fc.constantFrom((text: string) => text, encodeURIComponent, encodeAll),
      )
      .chain(([text, encode]) =>
        fc.constantFrom(encode(text), encodeURIComponent(encode(text)), encode(text.toUpperCase())),
      );
    fc.assert(
      fc.property(noise, written, noise, fc.constantFrom("&", ";"), (before, text, after, separator) => {
        const query = [...before, `${text}=abc`, ...after].join(separator);
        expect(findCredentialInQuery(query)).not.toBeNull();
      }),
      { numRuns: 3_000 },
    );
  });

  it("never throws and never repeats a value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.webQueryParameters(), (text, web) => {
        findCredentialInTarget(text);
        findCredentialInQuery(web);
        expect(JSON.stringify(findCredentialInQuery(`api_key=canary${web}`))).not.toContain("canary");
      }),
      { numRuns: 3_000 },
    );
  });

  it("terminates quickly for long hostile queries", { timeout: 5_000 }, () => {
    for (const hostile of ["%25".repeat(5_000), "%2525".repeat(3_000), "aA".repeat(8_000), ";".repeat(16_000)]) {
      expect(findCredentialInQuery(`${hostile}=${hostile}`)).toBeNull();
    }
  });
});
