// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Creates a contract from the calldata as it is, because forge counts the gas of calls but not of creations.
/// Costs what a creation transaction does, and the copying of the creation code, a few gas a word.
contract Creator {
    fallback() external {
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            calldatacopy(pointer, 0, calldatasize())
            if iszero(create(0, pointer, calldatasize())) { revert(0, 0) }
        }
    }
}
