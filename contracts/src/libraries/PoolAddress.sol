// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title PoolAddress
/// @notice Computes the address of a Uniswap v3 pool.
library PoolAddress {
    /// @notice keccak256 of the pool's published creation code (@uniswap/v3-core 1.0.1).
    bytes32 internal constant POOL_INIT_CODE_HASH = 0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54;

    /// @notice The CREATE2 address of the pool of two tokens, in either order.
    function compute(address factory, address tokenA, address tokenB, uint24 fee) internal pure returns (address) {
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", factory, salt, POOL_INIT_CODE_HASH)))));
    }
}
