// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ISplitterFactory
/// @notice Creates splitters at addresses that depend on their allocations and a salt only, and records them.
/// @dev Constructor: (wrappedNative). It deploys the implementation of all splitters. Anyone may create any splitter, and
/// may create it first: the address and the splitter are the same for every caller.
interface ISplitterFactory {
    /// @notice A splitter was created. Emitted once for each splitter.
    event SplitterCreated(address indexed splitter, bytes32 indexed salt, address[] payees, uint16[] shares);

    error SplitterFactory_InvalidAddress(address wrappedNative);
    error SplitterFactory_CreationFailed(address splitter);

    /// @notice Creates the splitter of these allocations and this salt. If it exists, only returns its address.
    /// @dev Reverts with the errors of IFeeSplitter if the allocations are invalid.
    function create(address[] calldata payees, uint16[] calldata shares, bytes32 salt)
        external
        returns (address splitter);

    /// @notice The address that `create` returns for the same arguments. Does not check the allocations.
    function predict(address[] calldata payees, uint16[] calldata shares, bytes32 salt)
        external
        view
        returns (address splitter);

    /// @notice The input of a transaction without target that creates a splitter with these allocations. Does not check
    /// the allocations.
    function creationCode(address[] calldata payees, uint16[] calldata shares) external view returns (bytes memory);

    /// @notice Whether this factory created `splitter`: then its code is that of a clone with valid allocations, and
    /// nothing was written to its storage when it was created.
    function isSplitter(address splitter) external view returns (bool);

    /// @notice The contract that every splitter delegates to.
    function IMPLEMENTATION() external view returns (address);
}
