// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {Artifacts} from "./Artifacts.sol";

/// @notice Creates splitters without launches.
abstract contract SplitterTest is Artifacts {
    address internal constant NATIVE = address(0);
    address internal constant UNWRAPPED = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    ISplitterFactory internal splitters;
    IWrappedNative internal weth;
    address internal alice = makeAddr("alice");
    address internal bob = makeAddr("bob");
    address internal stranger = makeAddr("stranger");

    uint256 private _nextSalt;

    function setUp() public virtual {
        weth = IWrappedNative(deployVendor("wrapped-native/WETH9", ""));
        splitters = ISplitterFactory(deploy("SplitterFactory", abi.encode(weth)));
    }

    /// @dev By a creation transaction: does not check the allocations.
    function deploySplitter(address[] memory payees, uint16[] memory shares) internal returns (address) {
        return create(splitters.creationCode(payees, shares));
    }

    /// @dev By the factory, which checks the allocations. External, so that `vm.expectRevert` applies to the whole call.
    function createByFactory(address[] memory payees, uint16[] memory shares) external returns (address) {
        return splitters.create(payees, shares, bytes32(_nextSalt++));
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

    function fundWrapped(address account, uint256 amount) internal {
        vm.deal(address(this), address(this).balance + amount);
        weth.deposit{value: amount}();
        weth.transfer(account, amount);
    }

    function release(address splitter, address asset, address payee) internal returns (uint256) {
        return IFeeSplitter(splitter).release(one(asset), payee)[0];
    }

    function one(address asset) internal pure returns (address[] memory assets) {
        assets = new address[](1);
        assets[0] = asset;
    }

    function two(address first, address second) internal pure returns (address[] memory assets) {
        assets = new address[](2);
        (assets[0], assets[1]) = (first, second);
    }
}
