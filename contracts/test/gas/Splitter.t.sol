// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Creator} from "./Creator.sol";
import {GasTest} from "./GasTest.sol";

/// @notice Gas of a splitter's deployment. The floor is the deployment of the same runtime code without checks,
/// allocations and event.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract SplitterGasTest is GasTest {
    Creator private _creator = new Creator();

    function test_DeployingForOnePayee_CostsAtMost110PercentOfItsFloor() external {
        uint256 floorGas = _measureFloor();
        uint256 gasUsed = _measure(1, "splitter deployment, 1 payee");
        recordValue("Splitter", "splitter deployment, 1 payee, floor", floorGas);
        assertLe(gasUsed * 10, floorGas * 11);
    }

    function test_DeployingForMorePayees_CostsAtMost10000GasEach() external {
        uint256 floorGas = _measureFloor();
        uint256 ofOne = _measure(1, "splitter deployment, 1 payee");
        uint256 ofFive = _measure(5, "splitter deployment, 5 payees");
        uint256 ofTwenty = _measure(20, "splitter deployment, 20 payees");
        recordValue("Splitter", "splitter deployment, 5 payees, floor", floorGas);
        recordValue("Splitter", "splitter deployment, 20 payees, floor", floorGas);
        assertLe(ofFive - ofOne, 4 * 10_000);
        assertLe(ofTwenty - ofOne, 19 * 10_000);
    }

    function _measure(uint256 count, string memory name) private returns (uint256) {
        address[] memory payees = new address[](count);
        uint16[] memory shares = new uint16[](count);
        for (uint256 i; i < count; ++i) {
            payees[i] = address(uint160(uint256(keccak256(abi.encode("payee", i)))));
            shares[i] = uint16(10_000 / count);
        }
        _create(bytes.concat(readCreationCode("FeeSplitter"), abi.encode(payees, shares)));
        return record("Splitter", name);
    }

    function _measureFloor() private returns (uint256) {
        string memory json = vm.readFile("contracts/artifacts/FeeSplitter.json");
        bytes memory runtimeCode = vm.parseJsonBytes(json, ".deployedBytecode");
        // PUSH2 length, DUP1, PUSH1 10, RETURNDATASIZE, CODECOPY, RETURNDATASIZE, RETURN: returns the bytes that
        // follow.
        _create(abi.encodePacked(hex"61", uint16(runtimeCode.length), hex"80600a3d393df3", runtimeCode));
        return vm.lastCallGas().gasTotalUsed;
    }

    function _create(bytes memory creationCode) private {
        (bool success,) = address(_creator).call(creationCode);
        assertTrue(success);
    }
}
