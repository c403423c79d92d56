// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";

contract SplitterFactoryCreateTest is SplitterTest {
    function deployFactory(address wrappedNative) external returns (address) {
        return deploy("SplitterFactory", abi.encode(wrappedNative));
    }

    function test_WhenTheWrappedNativeTokenHasNoCode() external {
        vm.expectRevert(abi.encodeWithSelector(ISplitterFactory.SplitterFactory_InvalidAddress.selector, alice));
        this.deployFactory(alice);
    }

    function test_WhenItIsDeployed() external view {
        assertEq(splitters.IMPLEMENTATION(), vm.computeCreateAddress(address(splitters), 1));
        assertFalse(splitters.isSplitter(splitters.IMPLEMENTATION()));
        assertFalse(splitters.isSplitter(address(0)));
    }

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
        this.createByFactory(payees, shares);
    }

    function test_WhenAShareIsZero() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        (shares[1], shares[2]) = (0, shares[1] + shares[2]);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidShare.selector, 1));
        this.createByFactory(payees, shares);
    }

    function test_WhenAPayeeIsListedTwice() external {
        for (uint256 i; i < 4; ++i) {
            for (uint256 j = i + 1; j < 5; ++j) {
                (address[] memory payees, uint16[] memory shares) = createEqualShares(5);
                payees[j] = payees[i];
                vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_DuplicatePayee.selector, payees[i]));
                this.createByFactory(payees, shares);
            }
        }
    }

    function test_WhenTheSharesDoNotSumTo10000() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(2);
        uint16[3] memory wrong = [uint16(4_999), 5_001, 65_535];
        for (uint256 i; i < 3; ++i) {
            shares[1] = wrong[i];
            vm.expectRevert(
                abi.encodeWithSelector(IFeeSplitter.FeeSplitter_SharesNot10000.selector, uint256(5_000) + wrong[i])
            );
            this.createByFactory(payees, shares);
        }
    }

    function test_WhenTheAllocationsAreValid() external {
        for (uint256 count = 1; count <= 20; ++count) {
            (address[] memory payees, uint16[] memory shares) = createEqualShares(count);
            bytes32 salt = keccak256(abi.encode(count));
            address predicted = splitters.predict(payees, shares, salt);
            bytes memory code = _runtimeCode(payees, shares);
            assertEq(predicted, vm.computeCreate2Address(salt, keccak256(_factoryCode(code)), address(splitters)));
            assertFalse(splitters.isSplitter(predicted));
            vm.expectEmit(address(splitters));
            emit ISplitterFactory.SplitterCreated(predicted, salt, payees, shares);
            vm.prank(stranger);
            assertEq(splitters.create(payees, shares, salt), predicted);
            assertTrue(splitters.isSplitter(predicted));
            assertEq(predicted.code, code);
            (address[] memory storedPayees, uint16[] memory storedShares) = IFeeSplitter(predicted).allocations();
            assertEq(abi.encode(storedPayees, storedShares), abi.encode(payees, shares));
        }
    }

    function test_WhenTheSplitterExists() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        vm.prank(stranger);
        address first = splitters.create(payees, shares, 0);
        vm.recordLogs();
        assertEq(splitters.create(payees, shares, 0), first);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 0);
    }

    function test_WhenAnyArgumentDiffers() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        address first = splitters.create(payees, shares, 0);
        assertNotEq(splitters.create(payees, shares, bytes32(uint256(1))), first);
        (payees[0], payees[1]) = (payees[1], payees[0]);
        assertNotEq(splitters.create(payees, shares, 0), first);
        (payees[0], payees[1]) = (payees[1], payees[0]);
        (shares[0], shares[1]) = (shares[0] + 1, shares[1] - 1);
        assertNotEq(splitters.create(payees, shares, 0), first);
    }

    function test_WhenTheAddressHasABalance() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(2);
        address predicted = splitters.predict(payees, shares, 0);
        vm.deal(predicted, 1_000);
        fundWrapped(predicted, 1_000);
        splitters.create(payees, shares, 0);
        assertEq(release(predicted, NATIVE, payees[0]), 500);
        assertEq(release(predicted, address(weth), payees[1]), 500);
    }

    function test_WhenTheCreationCodeIsExecuted() external {
        for (uint256 count = 1; count <= 20; ++count) {
            (address[] memory payees, uint16[] memory shares) = createEqualShares(count);
            bytes memory creationCode = splitters.creationCode(payees, shares);
            bytes memory code = _runtimeCode(payees, shares);
            assertEq(creationCode.length, 121 + code.length);
            vm.recordLogs();
            vm.startStateDiffRecording();
            address created = create(creationCode);
            Vm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
            Vm.Log[] memory logs = vm.getRecordedLogs();
            assertEq(created.code, code, "returns the runtime code");
            assertEq(logs.length, 1);
            assertEq(logs[0].emitter, created);
            assertEq(logs[0].topics.length, 1);
            assertEq(logs[0].topics[0], IFeeSplitter.SplitterCreated.selector);
            assertEq(logs[0].data, abi.encode(payees, shares));
            assertEq(accesses.length, 1, "makes no call");
            assertEq(accesses[0].storageAccesses.length, 0, "reads and writes no storage");
            assertFalse(splitters.isSplitter(created));
        }
    }

    function test_WhenTheCreationCodeOfAnInvalidNumberOfPayeesIsRead() external {
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidCount.selector, 0, 0));
        splitters.creationCode(new address[](0), new uint16[](0));
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidCount.selector, 21, 21));
        splitters.predict(new address[](21), new uint16[](21), 0);
    }

    /// @dev The documented layout, without the library.
    function _runtimeCode(address[] memory payees, uint16[] memory shares) private view returns (bytes memory code) {
        code = bytes.concat(
            hex"363d3d373d3d3d363d73",
            bytes20(splitters.IMPLEMENTATION()),
            hex"5af43d82803e903d91602b57fd5bf3"
        );
        for (uint256 i; i < payees.length; ++i) {
            code = bytes.concat(code, bytes20(payees[i]), bytes2(shares[i]));
        }
    }

    function _factoryCode(bytes memory code) private pure returns (bytes memory) {
        return bytes.concat(hex"61", bytes2(uint16(code.length)), hex"80600a3d393df3", code);
    }

    function _expectRevert(uint256 payeeCount, uint256 shareCount, bytes memory reason) private {
        vm.expectRevert(reason);
        this.createByFactory(new address[](payeeCount), new uint16[](shareCount));
    }
}
