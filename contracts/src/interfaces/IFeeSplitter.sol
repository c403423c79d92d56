// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IFeeSplitter
/// @notice Splits what it receives among fixed payees by fixed shares. Each payee's part stays here until released.
/// @dev A splitter is a minimal proxy (ERC-1167) of one implementation, whose entries are part of its code: see
/// libraries/SplitterClone.sol. 1..20 distinct payees, none zero, none the splitter; shares sum to 10000, each at least
/// 1. No owner; no one can change payees or shares. A payee can change only where its own part is paid.
///
/// Assets: an ERC-20 token, or one of two special addresses. The zero address is the native balance. The address
/// 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE is the payee's part of the wrapped native, paid as native if the receiver has
/// no code (or only a delegation, EIP-7702) or if the payee itself calls, and otherwise, or if the receiver rejects it,
/// as wrapped native. It is booked as wrapped native in both cases: every view returns the figures of the wrapped native
/// for this address.
///
/// A payee whose transfer fails keeps its claim and does not block other payees.
/// WARNING: verify a splitter by how it was created (its creation transaction, or the record of the splitter factory),
/// not by its views and not by its code alone: a contract with the same code can have other storage.
/// WARNING: a token with two addresses for one balance can be claimed through each address: do not use such a token.
/// WARNING: tokens whose balances shrink or that tax transfers can leave later releases unpaid until more arrives.
/// WARNING: a payee that loses its key loses its part. No account can move it.
/// WARNING: native that is sent with only 2,300 gas is refused, except by the wrapped native token during a release.
interface IFeeSplitter {
    /// @notice The allocations. Emitted once, by the creation code of a creation transaction. For a splitter of the
    /// factory the factory emits its own event instead.
    event SplitterCreated(address[] payees, uint16[] shares);
    /// @notice A payee's part was paid.
    /// @param asset The asset in which the payment is booked: never 0xEeee....
    /// @param receiver The account that was paid: the payee, its payout, or the receiver that it named in the call.
    /// @param unwrapped Whether wrapped native was paid as native.
    event Released(
        address indexed asset, address indexed payee, address indexed receiver, uint256 amount, bool unwrapped
    );
    /// @notice A payee's later releases pay `payout`; zero means the payee itself.
    event PayoutChanged(address indexed payee, address indexed payout);
    /// @notice Native arrived by a call. Native that the wrapped native token sends is not announced.
    event NativeReceived(address indexed from, uint256 amount);

    error FeeSplitter_InvalidCount(uint256 payees, uint256 shares);
    error FeeSplitter_InvalidPayee(uint256 index, address payee);
    error FeeSplitter_InvalidShare(uint256 index);
    error FeeSplitter_DuplicatePayee(address payee);
    error FeeSplitter_SharesNot10000(uint256 sum);
    error FeeSplitter_NotPayee(address account);
    error FeeSplitter_InvalidPayout(address payout);
    error FeeSplitter_TransferFailed(address asset, address receiver, uint256 amount);
    error FeeSplitter_NotClone();

    /// @notice Pays `payee` its claim of each asset, to its payout if it has set one. Callable by anyone; only the payee
    /// or its payout is paid.
    /// A claim of zero pays nothing and does not revert. An asset whose transfer fails reverts the whole call: call
    /// again without it.
    /// @return amounts Amounts paid, in the order of `assets`.
    function release(address[] calldata assets, address payee) external returns (uint256[] memory amounts);

    /// @notice Pays the caller's claim of each asset to `to`. Only a payee. Otherwise as `release`.
    function releaseTo(address[] calldata assets, address to) external returns (uint256[] memory amounts);

    /// @notice Makes every later release of the caller's part pay `payout`, whichever account calls it, including what is
    /// claimable already. Zero pays the payee itself again. Only a payee. Applies to this splitter only.
    function setPayout(address payout) external;

    /// @notice Where releases of `payee` are paid; zero for the payee itself.
    function payoutOf(address payee) external view returns (address);

    /// @notice The amount of `asset` that `payee` can claim now.
    function claimable(address asset, address payee) external view returns (uint256);
    /// @notice The total amount of `asset` released to `payee`. Unwrapped amounts count as wrapped native; 0xEeee... has the
    /// figures of the wrapped native.
    function released(address asset, address payee) external view returns (uint256);
    /// @notice The total amount of `asset` released to all payees. Otherwise as `released`.
    function totalReleased(address asset) external view returns (uint256);
    /// @notice The share of `payee` in basis points; 0 for an account that is not a payee.
    function shareOf(address payee) external view returns (uint16);
    /// @notice The payees and their shares, in the order of the entries.
    function allocations() external view returns (address[] memory payees, uint16[] memory shares);
    /// @notice The wrapped native token.
    function WRAPPED_NATIVE() external view returns (address);
}
