// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ILaunchToken
/// @notice An ERC-20 with ERC-2612 permit and ERC-7572 metadata. The constructor mints 1,000,000,000 x 1e18, once.
/// @dev No owner, mint, pause, blocklist or transfer tax. Constructor: (name, symbol, contractURI, supplyRecipient).
/// WARNING: the creator chooses the texts, and they can contain any bytes. Treat them as untrusted input.
interface ILaunchToken {
    error LaunchToken_MetadataTooLong(uint256 length, uint256 maximum);

    /// @notice The ERC-7572 metadata URI. Immutable.
    function contractURI() external view returns (string memory);
}
