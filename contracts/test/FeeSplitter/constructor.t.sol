// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";

contract FeeSplitterConstructorTest is SplitterTest {
    function test_WhenThereIsNoPayee() external {
        _expectRevert(0, 0, abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidCount.selector, 0, 0));
    }

    function test_WhenThereAreMoreThanTwentyPayees() external {
        _expectRevert(21, 21, abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidCount.selector, 21, 21));
    }

    function test_WhenPayeesAndSharesDifferInNumber() external {
        _expectRevert(2, 3, abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidCount.selector, 2, 3));
        _expectRevert(3, 2, abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidCount.selector, 3, 2));
    }

    function test_WhenAPayeeIsZero() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        payees[2] = address(0);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidPayee.selector, 2, address(0)));
        this.deployExternally(payees, shares);
    }

    function test_WhenAPayeeIsTheSplitterItself() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        payees[1] = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidPayee.selector, 1, payees[1]));
        this.deployExternally(payees, shares);
    }

    function test_WhenAShareIsZero() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        (shares[1], shares[2]) = (0, shares[1] + shares[2]);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidShare.selector, 1, 0));
        this.deployExternally(payees, shares);
    }

    function test_WhenAPayeeIsListedTwice() external {
        for (uint256 i; i < 4; ++i) {
            for (uint256 j = i + 1; j < 5; ++j) {
                (address[] memory payees, uint16[] memory shares) = createEqualShares(5);
                payees[j] = payees[i];
                vm.expectRevert(
                    abi.encodeWithSelector(IFeeSplitter.FeeSplitter_DuplicatePayee.selector, payees[i])
                );
                this.deployExternally(payees, shares);
            }
        }
    }

    function test_WhenTheSharesDoNotSumTo10000() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(2);
        uint16[2] memory wrong = [uint16(4_999), 5_001];
        for (uint256 i; i < 2; ++i) {
            shares[1] = wrong[i];
            vm.expectRevert(
                abi.encodeWithSelector(
                    IFeeSplitter.FeeSplitter_SharesNot10000.selector, uint256(5_000) + wrong[i]
                )
            );
            this.deployExternally(payees, shares);
        }
    }

    function test_WhenTheAllocationsAreValid() external {
        uint256[4] memory counts = [uint256(1), 2, 19, 20];
        for (uint256 i; i < counts.length; ++i) {
            (address[] memory payees, uint16[] memory shares) = createEqualShares(counts[i]);
            vm.expectEmit();
            emit IFeeSplitter.SplitterCreated(payees, shares);
            IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
            (address[] memory storedPayees, uint16[] memory storedShares) = splitter.allocations();
            assertEq(abi.encode(storedPayees, storedShares), abi.encode(payees, shares));
            for (uint256 j; j < payees.length; ++j) {
                assertEq(splitter.shareOf(payees[j]), shares[j]);
            }
            assertEq(splitter.shareOf(address(this)), 0);
            assertEq(splitter.shareOf(address(0)), 0);
        }
    }

    function _expectRevert(uint256 payeeCount, uint256 shareCount, bytes memory reason) private {
        vm.expectRevert(reason);
        this.deployExternally(new address[](payeeCount), new uint16[](shareCount));
    }
}
