// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IVestingFactory
/// @notice Creates vestings and records them. It has no owner.
/// @dev The address of a vesting is the CREATE2 address for the salt and this init code, as of a splitter:
/// 61 004b 80600a3d393df3, then the runtime code: the proxy (45 bytes) and the terms (30 bytes): beneficiary (20), cliff
/// (5), end (5).
/// WARNING: dates in the past are accepted, so that tokens that were sent to a predicted address can always be released.
/// Judge a vesting by its dates, not by its existence.
interface IVestingFactory {
    /// @notice A vesting was created.
    event VestingCreated(
        address indexed vesting, address indexed beneficiary, bytes32 indexed salt, uint40 cliff, uint40 end
    );

    error VestingFactory_InvalidBeneficiary(address beneficiary);
    error VestingFactory_InvalidDates(uint40 cliff, uint40 end);
    error VestingFactory_CreationFailed(address vesting);

    /// @notice Creates a vesting. Callable by anyone. The same arguments give the same vesting for every caller: if it
    /// exists, the call only returns its address.
    /// @param beneficiary The account that every release pays; not zero.
    /// @param cliff When vesting begins, in seconds of Unix time.
    /// @param end When everything is vested, in seconds of Unix time; after the cliff.
    function create(address beneficiary, uint40 cliff, uint40 end, bytes32 salt) external returns (address vesting);

    /// @notice The address that `create` gives for these arguments. Does not check them.
    function predict(address beneficiary, uint40 cliff, uint40 end, bytes32 salt) external view returns (address);

    /// @notice Whether this factory created `vesting`.
    function isVesting(address vesting) external view returns (bool);

    /// @notice The implementation that every vesting delegates to.
    function IMPLEMENTATION() external view returns (address);
}
