// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";

contract FeeSplitterConstructorTest is SplitterTest {
    function test_WhenItIsDeployed() external view {
        IFeeSplitter implementation = IFeeSplitter(splitters.IMPLEMENTATION());
        assertEq(implementation.WRAPPED_NATIVE(), address(weth));
        (address[] memory payees, uint16[] memory shares) = implementation.allocations();
        assertEq(payees.length + shares.length, 0, "the implementation has no payees");
        assertEq(implementation.shareOf(address(0)), 0);
        assertEq(implementation.claimable(address(weth), alice), 0);
    }

    function test_WhenTheImplementationIsUsedAsASplitter() external {
        IFeeSplitter implementation = IFeeSplitter(splitters.IMPLEMENTATION());
        fundWrapped(address(implementation), 1 ether);
        vm.deal(address(this), 1 ether);
        (bool success, bytes memory reason) = address(implementation).call{value: 1}("");
        assertFalse(success);
        assertEq(bytes4(reason), IFeeSplitter.FeeSplitter_NotClone.selector);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, alice));
        implementation.release(one(address(weth)), alice);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, address(this)));
        implementation.releaseTo(one(address(weth)), alice);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, address(this)));
        implementation.setPayout(alice);
    }

    function test_WhenAllocationsAreRead() external {
        for (uint256 count = 1; count <= 20; ++count) {
            (address[] memory payees, uint16[] memory shares) = createEqualShares(count);
            IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
            (address[] memory storedPayees, uint16[] memory storedShares) = splitter.allocations();
            assertEq(abi.encode(storedPayees, storedShares), abi.encode(payees, shares));
            for (uint256 j; j < count; ++j) {
                assertEq(splitter.shareOf(payees[j]), shares[j]);
            }
            assertEq(splitter.shareOf(address(this)), 0);
            assertEq(splitter.shareOf(address(0)), 0);
            assertEq(splitter.shareOf(address(splitter)), 0);
            assertEq(splitter.WRAPPED_NATIVE(), address(weth));
        }
    }

    /// @dev No byte of an entry may be read as that of another one.
    function test_WhenPayeesAndSharesHaveOnlyOnesOrOnlyZerosAtTheirEnds() external {
        address[] memory payees = new address[](3);
        uint16[] memory shares = new uint16[](3);
        (payees[0], payees[1], payees[2]) = (address(type(uint160).max), address(1), address(uint160(1) << 159));
        (shares[0], shares[1], shares[2]) = (256, 255, 10_000 - 511);
        IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
        for (uint256 i; i < 3; ++i) {
            assertEq(splitter.shareOf(payees[i]), shares[i]);
        }
        assertEq(splitter.shareOf(address(0)), 0);
        assertEq(splitter.shareOf(address(type(uint160).max - 1)), 0);
    }
}
