import { baseUrl } from "./api.ts";

/** Whether a text is an address that can receive assets. Rejects the zero address, because transfers to it are lost. */
export const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0{40}$/.test(text);

/** Returns the URL of an address's QR code (EIP-681), which includes the chain id. */
export const getReceiveCodeUrl = (address: string, chainId: number): string =>
  `${baseUrl}/qr.png?${new URLSearchParams({ text: `ethereum:${address}@${chainId}` })}`;
