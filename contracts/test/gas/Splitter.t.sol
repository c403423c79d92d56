// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Creator} from "./Creator.sol";
import {GasTest} from "./GasTest.sol";

/// @notice Gas of a splitter's creation, its event included. The floor is the creation of the same runtime code, without
/// event and record.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract SplitterGasTest is GasTest {
    Creator private _creator = Creator(deployFloor("Creator", ""));
    uint256 private _nextSalt;

    function test_CreationTransactions_StayBelowTheirLimits() external {
        assertLe(_measure(1, "splitter by a creation transaction, 1 payee"), 80_000);
        assertLe(_measure(5, "splitter by a creation transaction, 5 payees"), 110_000);
        assertLe(_measure(20, "splitter by a creation transaction, 20 payees"), 245_000);
    }

    /// @dev The record costs 22,100 gas.
    function test_TheFactory_CostsAtMostTheRecordAndTheArgumentsMore() external {
        uint256[3] memory counts = [uint256(1), 5, 20];
        for (uint256 i; i < 3; ++i) {
            string memory payees = _countName(counts[i]);
            uint256 direct = _measure(counts[i], string.concat("splitter by a creation transaction, ", payees));
            uint256 gasUsed = _measureFactory(counts[i], string.concat("splitter by the factory, ", payees));
            assertLe(gasUsed, direct + 23_000 + 2_300 * counts[i]);
        }
        assertLe(_measureFactory(20, "splitter by the factory, 20 payees"), 245_000);
    }

    function test_TheFactory_CostsLittleIfTheSplitterExists() external {
        (address[] memory payees, uint16[] memory shares) = _allocations(5);
        splitters.create(payees, shares, keccak256("salt"));
        splitters.create(payees, shares, keccak256("salt"));
        assertLe(record("Splitter", "splitter by the factory, existing, 5 payees"), 35_000);
    }

    function _measure(uint256 count, string memory name) private returns (uint256) {
        (address[] memory payees, uint16[] memory shares) = _allocations(count);
        bytes memory creationCode = splitters.creationCode(payees, shares);
        _create(creationCode);
        uint256 gasUsed = record("Splitter", name);
        _create(_floorCode(creationCode));
        record("Splitter", string.concat(name, ", floor"));
        return gasUsed;
    }

    function _measureFactory(uint256 count, string memory name) private returns (uint256) {
        (address[] memory payees, uint16[] memory shares) = _allocations(count);
        splitters.create(payees, shares, keccak256(abi.encode(name, _nextSalt++)));
        uint256 gasUsed = record("Splitter", name);
        _create(_floorCode(splitters.creationCode(payees, shares)));
        record("Splitter", string.concat(name, ", floor"));
        return gasUsed;
    }

    /// @dev Returns the bytes that follow it: PUSH2 length, DUP1, PUSH1 10, RETURNDATASIZE, CODECOPY, RETURNDATASIZE,
    /// RETURN.
    function _floorCode(bytes memory creationCode) private pure returns (bytes memory) {
        bytes memory runtimeCode = new bytes(creationCode.length - 121);
        for (uint256 i; i < runtimeCode.length; ++i) {
            runtimeCode[i] = creationCode[121 + i];
        }
        return abi.encodePacked(hex"61", uint16(runtimeCode.length), hex"80600a3d393df3", runtimeCode);
    }

    function _allocations(uint256 count) private pure returns (address[] memory payees, uint16[] memory shares) {
        payees = new address[](count);
        shares = new uint16[](count);
        for (uint256 i; i < count; ++i) {
            payees[i] = address(uint160(uint256(keccak256(abi.encode("payee", i)))));
            shares[i] = uint16(10_000 / count);
        }
    }

    function _countName(uint256 count) private pure returns (string memory) {
        return count == 1 ? "1 payee" : string.concat(vm.toString(count), " payees");
    }

    function _create(bytes memory creationCode) private {
        (bool success,) = address(_creator).call(creationCode);
        assertTrue(success);
    }
}
