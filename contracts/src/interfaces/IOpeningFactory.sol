// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "./ILaunchFactory.sol";

/// @title IOpeningFactory
/// @notice Creates openings and records them. It has no owner.
/// @dev The address of an opening is the CREATE2 address for the salt zero and this init code, as of a splitter:
/// 61 007e 80600a3d393df3, then the runtime code: the proxy (45 bytes) and the terms (81 bytes): creator (20), hash of the
/// parameters without the salt (32), minimum (12), cap (12), deadline (5).
/// WARNING: a creator can create several openings with the same parameters. When one of them has opened, anyone can close the
/// others.
/// WARNING: the launch parameters are checked when the opening opens. If no launch with them is possible, the opening
/// refunds after the deadline.
interface IOpeningFactory {
    /// @notice An opening was created. The event contains all public data of it, so that an index can be rebuilt from the
    /// chain alone. The salt of `params` is zero.
    event OpeningCreated(
        address indexed opening,
        address indexed creator,
        bytes32 indexed paramsHash,
        ILaunchFactory.LaunchParams params,
        uint256 minimum,
        uint256 cap,
        uint40 deadline
    );

    error OpeningFactory_InvalidAddress(address account);
    error OpeningFactory_InvalidSalt(bytes32 salt);
    error OpeningFactory_InvalidBounds(uint256 minimum, uint256 cap);
    error OpeningFactory_InvalidDeadline(uint40 deadline, uint256 timestamp);
    error OpeningFactory_CreationFailed(address opening);

    /// @notice Creates an opening for a launch of `params` by the caller. The same arguments give the same opening: if it
    /// exists, the call only returns its address.
    /// @param params The launch parameters. The salt must be zero: the creator chooses it when it signs the launch.
    /// @param minimum The minimum of the buy, in wei; not zero.
    /// @param cap The maximum of the buy, in wei; at least the minimum, at most MAX_CAP.
    /// @param deadline The last second for deposits and for opening, in seconds of Unix time; in the future, at most
    /// MAX_SECONDS from now.
    function create(ILaunchFactory.LaunchParams calldata params, uint256 minimum, uint256 cap, uint40 deadline)
        external
        returns (address opening);

    /// @notice The address that `create` gives for these arguments when `creator` calls it. Checks salt and bounds, but not the
    /// deadline.
    function predict(
        address creator,
        ILaunchFactory.LaunchParams calldata params,
        uint256 minimum,
        uint256 cap,
        uint40 deadline
    ) external view returns (address);

    /// @notice Whether this factory created `opening`.
    function isOpening(address opening) external view returns (bool);

    /// @notice The implementation that every opening delegates to.
    function IMPLEMENTATION() external view returns (address);
    /// @notice The factory that launches the tokens of all openings.
    function LAUNCH_FACTORY() external view returns (address);
    /// @notice The longest time from the creation to the deadline, in seconds.
    function MAX_SECONDS() external view returns (uint40);
    /// @notice The greatest cap, in wei. At every valid start price the whole supply costs at least 1,000 times as much, so that
    /// the buy spends its whole value and the launch factory refunds nothing to the creator.
    function MAX_CAP() external view returns (uint256);
}
