// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Creates a contract from the calldata: forge measures the gas of calls but not of creations. The gas is that
/// of a creation transaction plus the copy of the creation code, a few gas for each word.
contract Creator {
    fallback() external {
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            calldatacopy(pointer, 0, calldatasize())
            if iszero(create(0, pointer, calldatasize())) { revert(0, 0) }
        }
    }
}
