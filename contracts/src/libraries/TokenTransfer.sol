// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title TokenTransfer
/// @notice Transfers tokens and reports a failure instead of reverting.
library TokenTransfer {
    /// @notice Transfers `amount` of `token` from this contract to `to`.
    /// @dev A missing return value means success if the token has code. Any value other than true means failure. Copies
    /// at most one word of return data.
    function trySend(address token, address to, uint256 amount) internal returns (bool success) {
        assembly ("memory-safe") {
            // transfer(to, amount), from 0x10 to 0x54. The upper half of the amount covers the free memory pointer.
            mstore(0x14, to)
            mstore(0x34, amount)
            mstore(0x00, 0xa9059cbb000000000000000000000000)
            success := call(gas(), token, 0, 0x10, 0x44, 0x00, 0x20)
            if success {
                switch returndatasize()
                case 0 { success := iszero(iszero(extcodesize(token))) }
                default { success := and(gt(returndatasize(), 31), eq(mload(0x00), 1)) }
            }
            // The free memory pointer is below 2^128: its upper half is zero.
            mstore(0x34, 0)
        }
    }
}
