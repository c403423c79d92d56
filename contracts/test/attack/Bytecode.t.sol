// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SlipwayTest} from "../utils/SlipwayTest.sol";

/// @notice What is on the chain is what the artifacts say. That the artifacts are what the sources give, byte for
/// byte, is checked by `contracts/tools/generate.ts --check`; all other tests deploy the artifacts.
contract BytecodeTest is SlipwayTest {
    uint256 private constant MAX_CODE_SIZE = 24_576;

    function test_C8_14_DeployedCodeIsTheArtifactsButForImmutables() external {
        _assertCode("LaunchFactory", address(factory));
        _assertCode("FeeLocker", address(locker));
        _assertCode("FeeSplitter", deploySplitter());
        _assertCode("LaunchToken", launchWith(true).token);
        _assertCode("LaunchToken", launchWith(false).token);
        _assertCode("GasStation", deploy("GasStation", abi.encode(alice, alice, alice)));
    }

    function test_C8_14_CodeStaysUnderTheLimitOfTheChain() external view {
        string[5] memory names = ["LaunchFactory", "LaunchToken", "FeeLocker", "FeeSplitter", "GasStation"];
        for (uint256 i; i < 5; ++i) {
            assertLe(_runtimeCodeOf(names[i]).length, MAX_CODE_SIZE);
            assertLe(creationCodeOf(names[i]).length, 2 * MAX_CODE_SIZE);
        }
    }

    function test_C8_14_NoCodeDelegatesOrSelfDestructs() external view {
        string[5] memory names = ["LaunchFactory", "LaunchToken", "FeeLocker", "FeeSplitter", "GasStation"];
        for (uint256 i; i < 5; ++i) {
            _assertNoOpcode(_runtimeCodeOf(names[i]), names[i]);
        }
    }

    function _assertCode(string memory name, address deployed) private view {
        bytes memory expected = _runtimeCodeOf(name);
        bytes memory actual = deployed.code;
        string memory json = vm.readFile(string.concat("contracts/artifacts/", name, ".json"));
        for (uint256 i; vm.keyExistsJson(json, _reference(i)); ++i) {
            uint256 start = vm.parseJsonUint(json, string.concat(_reference(i), ".start"));
            for (uint256 j; j < vm.parseJsonUint(json, string.concat(_reference(i), ".length")); ++j) {
                actual[start + j] = 0;
            }
        }
        assertEq(keccak256(actual), keccak256(expected), name);
    }

    /// @dev Walks the instructions, skipping what PUSH carries. The metadata is not appended, so all of it is code or
    /// embedded creation code; INVALID ends what runs.
    function _assertNoOpcode(bytes memory code, string memory name) private pure {
        for (uint256 i; i < code.length; ++i) {
            uint8 opcode = uint8(code[i]);
            if (opcode == 0xfe) return;
            assertTrue(opcode != 0xf4 && opcode != 0xf2 && opcode != 0xff, name);
            if (opcode >= 0x60 && opcode <= 0x7f) i += opcode - 0x5f;
        }
    }

    function _runtimeCodeOf(string memory name) private view returns (bytes memory) {
        return vm.parseJsonBytes(
            vm.readFile(string.concat("contracts/artifacts/", name, ".json")), ".deployedBytecode"
        );
    }

    function _reference(uint256 index) private pure returns (string memory) {
        return string.concat(".immutableReferences[", vm.toString(index), "]");
    }
}
