// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IERC2612
/// @notice The part of ERC-20 and ERC-2612 that the gas station calls.
interface IERC2612 {
    function balanceOf(address account) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
}
