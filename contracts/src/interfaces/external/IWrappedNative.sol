// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IWrappedNative
/// @notice The part of the wrapped native token that Slipway calls.
interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}
