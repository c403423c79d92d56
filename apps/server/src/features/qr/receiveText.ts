import { z } from "zod";

/** What a receive code may say: an address, alone or as an EIP-681 link with a chain id. Source: the spec. */
const receivePattern = /^(ethereum:)?0x[0-9a-fA-F]{40}(@[0-9]{1,8})?$/;

/** Nobody receives at the zero address: what is sent there is lost. */
const zeroAddress = /0x0{40}/;

/** The `text` of a QR code: `0x…`, `ethereum:0x…` or either with `@<chain id>`; the zero address is refused. */
export const receiveText = z
  .string()
  .regex(receivePattern, "must be [ethereum:]0x followed by 40 hex digits and optionally @ and a chain id")
  .refine((text) => !zeroAddress.test(text), "must not be the zero address");
