/** The EIP-712 types that wallets sign. Without schemas, because the site compares a response with them. */

/** The type of the domains of this service's typed data. */
const domainFields = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** Validity of an unsigned permit, in seconds of block time. */
export const permitValiditySeconds = 1_800n;

/**
 * The maximum seconds by which a block's time counts as later than the service's clock. Clocks that differ by five
 * minutes still work. An RPC endpoint that returns a later time cannot lengthen a deadline by more: an
 * account that withholds a signed transaction could otherwise send it at any later price.
 */
export const maxClockLeadSeconds = 360n;

/**
 * Validity of an unsigned authorization, in seconds. A signature whose launch was blocked can be used until
 * then, so it is short: twenty minutes are enough for a hardware wallet, or for the owners of a wallet who sign at one
 * time. Owners who need longer sign a later deadline of their choice.
 */
export const authorizationValiditySeconds = 1_200n;

/** An ERC-2612 permit. */
export const permitTypes = {
  EIP712Domain: domainFields,
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
};

/** A transfer that any account can send. Source: EIP-3009. */
export const transferAuthorizationTypes = {
  EIP712Domain: domainFields,
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
};

/** Source: IGasStation.TopUp and its documentation of the domain. */
export const topUpTypes = {
  EIP712Domain: domainFields,
  TopUp: [
    { name: "quoteId", type: "bytes32" },
    { name: "wallet", type: "address" },
    { name: "token", type: "address" },
    { name: "tokenAmount", type: "uint256" },
    { name: "nativeAmount", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
};

/** Source: ILaunchFactory.launchFor and its digestOf. */
export const launchTypes = {
  EIP712Domain: domainFields,
  Launch: [
    { name: "creator", type: "address" },
    { name: "params", type: "LaunchParams" },
    { name: "buy", type: "InitialBuyParams" },
    { name: "value", type: "uint256" },
    { name: "deadline", type: "uint256" },
    { name: "epoch", type: "uint256" },
  ],
  LaunchParams: [
    { name: "name", type: "string" },
    { name: "symbol", type: "string" },
    { name: "contractURI", type: "string" },
    { name: "splitter", type: "address" },
    { name: "salt", type: "bytes32" },
    { name: "partner", type: "address" },
    { name: "feeBps", type: "uint16" },
  ],
  InitialBuyParams: [
    { name: "recipient", type: "address" },
    { name: "minimumOut", type: "uint256" },
  ],
};
