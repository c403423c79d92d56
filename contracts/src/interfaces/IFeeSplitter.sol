// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IFeeSplitter
/// @notice Splits what it receives among fixed payees by fixed shares. Each payee's part stays here until released.
/// @dev Constructor: (address[] payees, uint16[] shares). 1..20 distinct payees, none zero; shares sum to 10000, each
/// at least 1. No owner, no mutable terms, no delegatecall. The zero address as an asset means native.
/// A payee whose transfer fails keeps its claim and does not block other payees.
/// WARNING: verify a splitter by its deployment (creation code and constructor arguments), not by its views.
/// WARNING: a token with two addresses for one balance can be claimed through each address: do not use such a token.
/// WARNING: tokens whose balances shrink or that tax transfers can leave later releases unpaid until more arrives.
interface IFeeSplitter {
    /// @notice The allocations. Emitted once, by the constructor.
    event SplitterCreated(address[] payees, uint16[] shares);
    event Released(address indexed asset, address indexed payee, uint256 amount);
    event NativeReceived(address indexed from, uint256 amount);

    error FeeSplitter_InvalidCount(uint256 payees, uint256 shares);
    error FeeSplitter_InvalidPayee(uint256 index, address payee);
    error FeeSplitter_InvalidShare(uint256 index, uint16 share);
    error FeeSplitter_SharesNot10000(uint256 sum);
    error FeeSplitter_DuplicatePayee(address payee);
    error FeeSplitter_NotPayee(address account);
    error FeeSplitter_TransferFailed(address asset, address payee, uint256 amount);

    /// @notice Pays `payee` its claim of each asset. Callable by anyone; only the payee is paid.
    /// A claim of zero pays nothing and does not revert. An asset whose transfer fails reverts the whole call: call
    /// again without it.
    /// @return amounts Amounts paid, in the order of `assets`.
    function release(address[] calldata assets, address payee) external returns (uint256[] memory amounts);

    /// @notice The amount of `asset` that `payee` can claim now.
    function claimable(address asset, address payee) external view returns (uint256);
    /// @notice The total amount of `asset` released to `payee`.
    function released(address asset, address payee) external view returns (uint256);
    /// @notice The total amount of `asset` released to all payees.
    function totalReleased(address asset) external view returns (uint256);
    /// @notice The share of `payee` in basis points; 0 for an account that is not a payee.
    function shareOf(address payee) external view returns (uint16);
    /// @notice The payees and their shares, in the order of the constructor.
    function allocations() external view returns (address[] memory payees, uint16[] memory shares);
}
