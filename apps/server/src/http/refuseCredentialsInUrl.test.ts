import { SlipwayError } from "@slipway/protocol/errors";
import { describe, expect, it } from "vitest";
import { refuseCredentialsInUrl } from "./refuseCredentialsInUrl.ts";

const address = "0x1111111111111111111111111111111111111111";
const refusal = (target: string) => {
  try {
    refuseCredentialsInUrl(target);
    return null;
  } catch (error) {
    return error as SlipwayError;
  }
};

describe("refuseCredentialsInUrl", () => {
  it.each([
    "/tokens",
    "/tokens?q=key&sort=new&limit=5",
    `/fees/positions?token=${address}&wallet=${address}`,
    `/stream?token=${address},${address}`,
    "/tokens?q=signature",
    "/tokens?monkey=1&keyboard=2&authority=3&tokens=4",
    "/tokens?%E0%A4%A=1",
  ])("lets %s pass", (target) => {
    expect(refusal(target)).toBeNull();
  });

  it.each([
    "/tokens?api_key=abc",
    "/tokens?apikey=abc",
    "/tokens?API-KEY=abc",
    "/tokens?key=abc",
    "/tokens?access_token=abc",
    "/tokens?accessToken=abc",
    "/tokens?authorization=Bearer%20x",
    "/tokens?auth=x",
    "/tokens?password=x",
    "/tokens?session_id=x",
    "/tokens?secret=x",
    "/tokens?jwt=x",
    "/tokens?signature=0xab",
    "/tokens?limit=1&token=not-an-address",
    "/tokens?x-api-key[]=abc",
    "/tokens?%E0%A4%A=1&client%255Fsecret=abc",
    "/tokens?token=abc&pwd=abc",
    "/tokens?%61pi_key=abc",
    "/tokens?q=slip_abcdefgh",
    "/tokens?q=%73lip_abcdefgh",
    "/tokens/slip_abcdefgh",
    "http://user:pw@host/tokens",
    "http://user@host/tokens",
  ])("refuses %s without repeating it", (target) => {
    const error = refusal(target);
    expect(error).toBeInstanceOf(SlipwayError);
    expect(error?.code).toBe("credentials_in_url");
    expect(JSON.stringify({ ...error, message: error?.message })).not.toMatch(/abc|slip_|pw@/);
  });

  it("leaves a mistyped token to the schema of a route that has one, and no credential", () => {
    const refuse = (target: string) => () => refuseCredentialsInUrl(target, { takesToken: true });
    expect(refuse("/stream?token=USDC")).not.toThrow();
    for (const target of [
      "/stream?token=USDC&key=a",
      "/stream?token=USDC&q=slip_a",
      `/stream?token=${"a".repeat(40)}`,
    ]) {
      expect(refuse(target)).toThrow(SlipwayError);
    }
  });
});
