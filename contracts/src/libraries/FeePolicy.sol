// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title FeePolicy
/// @notice Divides collected fees between the treasury, a partner and the collaborators.
/// @dev The parts are functions of the cumulative amount collected, so that rounding does not accumulate. For any
/// number and size of collections, each part is within one base unit of its exact share, and the three parts sum to the
/// amount.
library FeePolicy {
    uint256 internal constant BPS = 10_000;

    /// @notice The protocol share, in basis points of the traded volume. It is the same at every fee tier.
    uint16 internal constant PROTOCOL_FEE_BPS = 10;

    /// @notice Whether launches can have a pool fee, in basis points. The protocol share is at most the smallest tier.
    function isTier(uint16 feeBps) internal pure returns (bool) {
        return feeBps == 100 || feeBps == 50 || feeBps == 30 || feeBps == 10;
    }

    /// @notice A tier in hundredths of a basis point, the unit of Uniswap.
    function poolFeeOf(uint16 feeBps) internal pure returns (uint24) {
        return uint24(feeBps) * 100;
    }

    /// @notice Divides a cumulative amount.
    /// @param collected Total amount collected so far, below 2^128.
    /// @param feeBps The pool's fee, at least PROTOCOL_FEE_BPS.
    /// @param partnerShareBps The partner's part of the protocol share.
    /// @return protocol The treasury's part: floor(collected * PROTOCOL_FEE_BPS / feeBps) minus the partner's part.
    /// @return partner The partner's part, rounded down.
    /// @return collaborators The remainder; zero if the pool's fee is the protocol share.
    function divide(uint256 collected, uint256 feeBps, uint256 partnerShareBps)
        internal
        pure
        returns (uint256 protocol, uint256 partner, uint256 collaborators)
    {
        // Below 2^144, and each part is at most the whole.
        unchecked {
            uint256 protocolShare = collected * PROTOCOL_FEE_BPS / feeBps;
            partner = protocolShare * partnerShareBps / BPS;
            protocol = protocolShare - partner;
            collaborators = collected - protocolShare;
        }
    }
}
