// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOpeningFactory} from "../../src/interfaces/IOpeningFactory.sol";
import {IVestingFactory} from "../../src/interfaces/IVestingFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

/// @notice Deployed code equals the artifacts. `contracts/tools/generate.ts --check` compares the artifacts with the
/// sources, byte for byte. All other tests deploy the artifacts.
contract BytecodeTest is SlipwayTest {
    uint256 private constant MAX_CODE_SIZE = 24_576;

    string[10] private _names = [
        "LaunchFactory",
        "LaunchToken",
        "FeeLocker",
        "SplitterFactory",
        "FeeSplitter",
        "GasStation",
        "VestingFactory",
        "Vesting",
        "OpeningFactory",
        "Opening"
    ];

    function test_C8_14_DeployedCodeEqualsTheArtifactsExceptImmutables() external {
        _assertCode("LaunchFactory", address(factory));
        _assertCode("FeeLocker", address(locker));
        _assertCode("SplitterFactory", address(splitters));
        _assertCode("FeeSplitter", splitters.IMPLEMENTATION());
        _assertCode("LaunchToken", launchWith(true).token);
        _assertCode("LaunchToken", launchWith(false).token);
        _assertCode("GasStation", deploy("GasStation", abi.encode(alice, alice, alice)));
        IVestingFactory vestings = IVestingFactory(deploy("VestingFactory", ""));
        _assertCode("VestingFactory", address(vestings));
        _assertCode("Vesting", vestings.IMPLEMENTATION());
        IOpeningFactory openings = IOpeningFactory(deploy("OpeningFactory", abi.encode(factory)));
        _assertCode("OpeningFactory", address(openings));
        _assertCode("Opening", openings.IMPLEMENTATION());
    }

    function test_C8_14_CodeSizeIsBelowTheLimit() external view {
        for (uint256 i; i < 10; ++i) {
            assertLe(_readRuntimeCode(_names[i]).length, MAX_CODE_SIZE);
            assertLe(readCreationCode(_names[i]).length, 2 * MAX_CODE_SIZE);
        }
    }

    function test_C8_14_NoCodeDelegatesOrSelfDestructs() external view {
        for (uint256 i; i < 10; ++i) {
            _assertNoOpcode(_readRuntimeCode(_names[i]), _names[i]);
        }
    }

    function _assertCode(string memory name, address deployed) private view {
        bytes memory expected = _readRuntimeCode(name);
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

    /// @dev Iterates over the instructions and skips PUSH data. No metadata is appended: all bytes are code or embedded
    /// creation code, and INVALID ends the executable part.
    function _assertNoOpcode(bytes memory code, string memory name) private pure {
        for (uint256 i; i < code.length; ++i) {
            uint8 opcode = uint8(code[i]);
            if (opcode == 0xfe) return;
            assertTrue(opcode != 0xf4 && opcode != 0xf2 && opcode != 0xff, name);
            if (opcode >= 0x60 && opcode <= 0x7f) i += opcode - 0x5f;
        }
    }

    function _readRuntimeCode(string memory name) private view returns (bytes memory) {
        return vm.parseJsonBytes(vm.readFile(string.concat("contracts/artifacts/", name, ".json")), ".deployedBytecode");
    }

    function _reference(uint256 index) private pure returns (string memory) {
        return string.concat(".immutableReferences[", vm.toString(index), "]");
    }
}
