// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IVesting
/// @notice A vesting of tokens to one beneficiary. It has no owner, and no account can change, revoke or accelerate it. Each
/// vesting is a minimal proxy of one implementation, with beneficiary, cliff and end in its code.
///
/// Nothing is vested before the cliff. From the cliff to the end, the vested part of the received amount grows linearly
/// from zero to the whole. The received amount is the balance plus what was released, so that tokens that arrive later
/// vest on the same line: of a receipt halfway between cliff and end, one half is vested at once.
///
/// @dev Assumes of a token that its balances change only by transfers.
/// WARNING: verify a vesting by the record of the vesting factory (`isVesting`), not by its views: a contract with the
/// same code can have other storage.
/// WARNING: it pays the beneficiary only, for ever. A beneficiary that loses its key, or that cannot move tokens, loses
/// what it is paid. A beneficiary that a token refuses to pay is not paid in this token.
/// WARNING: native that is forced into a vesting stays there.
/// WARNING: of a token whose balances shrink, nothing is released until the vested part exceeds what was released.
interface IVesting {
    /// @notice The vested part of `token` was paid to the beneficiary.
    event Released(address indexed token, uint256 amount);

    error Vesting_NotClone();
    error Vesting_TransferFailed(address token, address beneficiary, uint256 amount);

    /// @notice Pays the beneficiary what is vested of `token` and not yet released. Callable by anyone. An amount of zero
    /// pays nothing and does not revert.
    /// @return amount The amount paid, in base units.
    function release(address token) external returns (uint256 amount);

    /// @notice The amount of `token` that `release` would pay now, in base units.
    function releasable(address token) external view returns (uint256);
    /// @notice The amount of `token` that is vested now, with what was released, in base units.
    function vested(address token) external view returns (uint256);
    /// @notice The amount of `token` that was released, in base units.
    function released(address token) external view returns (uint256);
    /// @notice The account that every release pays.
    function beneficiary() external view returns (address);
    /// @notice When vesting begins, in seconds of Unix time.
    function cliff() external view returns (uint40);
    /// @notice When everything is vested, in seconds of Unix time.
    function end() external view returns (uint40);
}
