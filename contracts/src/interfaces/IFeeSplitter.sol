// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IFeeSplitter
/// @notice Splits whatever it receives among fixed payees by fixed shares; each payee's part waits until released.
/// @dev Constructor: (address[] payees, uint16[] shares). 1..20 distinct payees, none zero, shares sum to 10000, each
/// at least 1. No owner, no change, no delegatecall. Native is the zero address as an asset.
/// A payee whose transfer fails keeps the claim and holds up nobody else.
/// WARNING: trust a splitter only by its birth (its creation code and arguments), never by what its views answer.
/// WARNING: a token that answers at two addresses for one balance can be claimed through each: do not receive such.
/// WARNING: tokens whose balances shrink or that tax transfers can leave late releases unpaid until more arrives.
interface IFeeSplitter {
    /// @notice The allocations, once, at birth.
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

    /// @notice Pays `payee` what it can claim of each asset. Anyone may call; the money goes to the payee.
    /// Zero claimable pays nothing and does not revert. An asset whose transfer fails reverts the whole call: name the
    /// others without it.
    /// @return amounts What was paid, in the order of `assets`.
    function release(address[] calldata assets, address payee) external returns (uint256[] memory amounts);

    /// @notice What `payee` can claim of `asset` now.
    function claimable(address asset, address payee) external view returns (uint256);
    /// @notice What was released of `asset` to `payee` so far.
    function released(address asset, address payee) external view returns (uint256);
    /// @notice What was released of `asset` to all payees so far.
    function totalReleased(address asset) external view returns (uint256);
    /// @notice The share of `payee` in basis points, 0 when it is none.
    function shareOf(address payee) external view returns (uint16);
    /// @notice The payees and their shares, as given at birth.
    function allocations() external view returns (address[] memory payees, uint16[] memory shares);
}
