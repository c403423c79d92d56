// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IGasStation
/// @notice Sells native for an accepted stablecoin, by a quote that the relayer issues and the wallet signs.
/// @dev Only the relayer calls `topUp`. The station pays only if it is paid in the same call, and a quote id is used
/// once. Quote ids that differ only in their last byte share a storage word: numbers in sequence cost 17,100 gas less
/// each, except the first of 256. EIP-712 domain: name "Slipway Gas Station", version "1", chain id, this address.
/// Constructor: (owner, relayer, treasury). Only accounts with a key can sign; contract wallets cannot.
/// WARNING: the station measures the amount received and rejects fee-on-transfer and rebasing tokens.
/// WARNING: the relayer sets token and price. Its key can sell the whole float to its own wallet for nothing, so the
/// float is the maximum loss. It cannot take users' tokens: each transfer needs the wallet's signature.
interface IGasStation {
    /// @notice The message that the wallet signs.
    /// @dev Type string: TopUp(bytes32 quoteId,address wallet,address token,uint256 tokenAmount,uint256 nativeAmount,
    /// uint256 deadline) without the line break.
    struct TopUp {
        bytes32 quoteId;
        address wallet;
        address token;
        uint256 tokenAmount;
        uint256 nativeAmount;
        uint256 deadline;
    }

    /// @notice An ERC-2612 permit for this station; all zero for none. A failing permit is ignored: the allowance
    /// decides.
    struct Permit {
        uint256 value;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    event ToppedUp(
        bytes32 indexed quoteId, address indexed wallet, address indexed token, uint256 tokenAmount, uint256 nativeAmount
    );
    event RelayerChanged(address indexed previous, address indexed relayer);
    event TreasuryChanged(address indexed previous, address indexed treasury);
    event OwnershipProposed(address indexed owner, address indexed proposed);
    event OwnershipChanged(address indexed previous, address indexed owner);
    event PausedChanged(bool paused);
    event FloatWithdrawn(address indexed to, uint256 amount);
    event FloatReceived(address indexed from, uint256 amount);

    error GasStation_NotRelayer(address caller);
    error GasStation_NotOwner(address caller);
    error GasStation_NotProposedOwner(address caller);
    error GasStation_Paused();
    error GasStation_Expired(uint256 deadline, uint256 timestamp);
    error GasStation_QuoteUsed(bytes32 quoteId);
    error GasStation_InvalidSignature(address wallet);
    error GasStation_InvalidAmounts(uint256 tokenAmount, uint256 nativeAmount);
    error GasStation_InsufficientFloat(uint256 needed, uint256 available);
    error GasStation_InsufficientAllowance(uint256 needed, uint256 available);
    error GasStation_PullFailed(address token, address wallet, uint256 amount);
    error GasStation_UnderPaid(uint256 expected, uint256 received);
    error GasStation_PayoutFailed(address wallet, uint256 amount);
    error GasStation_InvalidAddress(address account);
    error GasStation_NotEnoughGas(uint256 gasLeft, uint256 needed);

    /// @notice Transfers `tokenAmount` to the treasury and sends `nativeAmount` to the wallet, atomically.
    /// @param signature 65 bytes (r, s, v) over the EIP-712 digest, with a low `s`.
    function topUp(TopUp calldata quote, bytes calldata signature, Permit calldata permit) external;

    /// @notice Sends native of the float to `to`. Only the owner.
    function withdrawFloat(address to, uint256 amount) external;

    /// @notice Replaces the account that may call `topUp`. Only the owner.
    function setRelayer(address relayer) external;

    /// @notice Replaces the account that receives the tokens of later top-ups. Only the owner.
    function setTreasury(address treasury) external;

    /// @notice Pauses or resumes `topUp`. Only the owner. Withdrawals stay possible.
    function setPaused(bool paused) external;

    /// @notice Proposes another owner. Only the owner. Takes effect on `acceptOwnership`; zero withdraws a proposal.
    function proposeOwner(address proposed) external;

    /// @notice Accepts the role of owner. Only the proposed owner.
    function acceptOwnership() external;

    /// @notice Whether a quote id was used. It cannot be used again.
    function used(bytes32 quoteId) external view returns (bool);

    /// @notice The EIP-712 digest that the wallet signs.
    function digestOf(TopUp calldata quote) external view returns (bytes32);

    function owner() external view returns (address);
    function proposedOwner() external view returns (address);
    function relayer() external view returns (address);
    function treasury() external view returns (address);
    function paused() external view returns (bool);
}
