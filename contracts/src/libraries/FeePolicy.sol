// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title FeePolicy
/// @notice How collected fees divide between the treasury, a partner and the collaborators.
/// @dev Everything is a function of the cumulative amount ever collected. Rounding therefore never adds up: whatever
/// the number and the size of the collections, each part is within one base unit of its exact share, and the three
/// parts sum to the amount.
library FeePolicy {
    uint256 internal constant BPS = 10_000;

    /// @notice Divides a cumulative amount.
    /// @param collected Everything collected so far, below 2^128.
    /// @param totalFeeBps The pool's fee; never zero.
    /// @param protocolFeeBps The protocol's part of it, at most `totalFeeBps`.
    /// @param partnerShareBps The partner's part of the protocol's part.
    /// @return protocol The treasury's part: floor(collected * protocolFeeBps / totalFeeBps) less the partner's.
    /// @return partner The partner's part, rounded down.
    /// @return collaborators The rest.
    function divide(uint256 collected, uint16 totalFeeBps, uint16 protocolFeeBps, uint16 partnerShareBps)
        internal
        pure
        returns (uint256 protocol, uint256 partner, uint256 collaborators)
    {
        uint256 protocolSide = collected * protocolFeeBps / totalFeeBps;
        partner = protocolSide * partnerShareBps / BPS;
        protocol = protocolSide - partner;
        collaborators = collected - protocolSide;
    }
}
