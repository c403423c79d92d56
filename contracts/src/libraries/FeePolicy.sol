// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title FeePolicy
/// @notice Divides collected fees between the treasury, a partner and the collaborators.
/// @dev The parts are functions of the cumulative amount collected, so that rounding does not accumulate. For any
/// number and size of collections, each part is within one base unit of its exact share, and the three parts sum to the
/// amount.
library FeePolicy {
    uint256 internal constant BPS = 10_000;

    /// @notice Divides a cumulative amount.
    /// @param collected Total amount collected so far, below 2^128.
    /// @param totalFeeBps The pool's fee; not zero.
    /// @param protocolFeeBps The protocol share of `totalFeeBps`, at most `totalFeeBps`.
    /// @param partnerShareBps The partner's part of the protocol share.
    /// @return protocol The treasury's part: floor(collected * protocolFeeBps / totalFeeBps) minus the partner's part.
    /// @return partner The partner's part, rounded down.
    /// @return collaborators The remainder.
    function divide(uint256 collected, uint16 totalFeeBps, uint16 protocolFeeBps, uint16 partnerShareBps)
        internal
        pure
        returns (uint256 protocol, uint256 partner, uint256 collaborators)
    {
        // Below 2^144, and each part is at most the whole.
        unchecked {
            uint256 protocolShare = collected * protocolFeeBps / totalFeeBps;
            partner = protocolShare * partnerShareBps / BPS;
            protocol = protocolShare - partner;
            collaborators = collected - protocolShare;
        }
    }
}
