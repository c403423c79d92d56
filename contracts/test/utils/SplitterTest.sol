// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Artifacts} from "./Artifacts.sol";

/// @notice Deploys splitters without launches.
abstract contract SplitterTest is Artifacts {
    address internal alice = makeAddr("alice");
    address internal bob = makeAddr("bob");

    function deploySplitter(address[] memory payees, uint16[] memory shares) internal returns (address) {
        return deploy("FeeSplitter", abi.encode(payees, shares));
    }

    /// @dev External, so that `vm.expectRevert` applies to the whole deployment.
    function deployExternally(address[] memory payees, uint16[] memory shares) external returns (address) {
        return deploySplitter(payees, shares);
    }

    function deployPair(address first, uint16 firstShare, address second) internal returns (address) {
        address[] memory payees = new address[](2);
        uint16[] memory shares = new uint16[](2);
        (payees[0], payees[1]) = (first, second);
        (shares[0], shares[1]) = (firstShare, 10_000 - firstShare);
        return deploySplitter(payees, shares);
    }

    /// @dev `count` payees with equal shares. The last one gets the remainder.
    function createEqualShares(uint256 count) internal pure returns (address[] memory payees, uint16[] memory shares) {
        payees = new address[](count);
        shares = new uint16[](count);
        uint16 remainder = 10_000;
        for (uint256 i; i < count; ++i) {
            payees[i] = createPayee(i);
            shares[i] = i + 1 == count ? remainder : uint16(10_000 / count);
            remainder -= shares[i];
        }
    }

    function createPayee(uint256 index) internal pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encode("payee", index)))));
    }

    function one(address asset) internal pure returns (address[] memory assets) {
        assets = new address[](1);
        assets[0] = asset;
    }
}
