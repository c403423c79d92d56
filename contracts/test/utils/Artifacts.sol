// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";

/// @notice Deploys from artifacts, so that the tests exercise exactly the released bytecode.
/// @dev The mutation runner sets SLIPWAY_ARTIFACTS to a folder of mutated artifacts, so that the tests need no
/// recompilation.
abstract contract Artifacts is Test {
    function readCreationCode(string memory contractName) internal view returns (bytes memory) {
        string memory folder = vm.envOr("SLIPWAY_ARTIFACTS", string("contracts/artifacts"));
        return _bytecode(string.concat(folder, "/", contractName, ".json"), ".bytecode");
    }

    function readVendorCreationCode(string memory path) internal view returns (bytes memory) {
        return _bytecode(string.concat("contracts/vendor/", path, ".json"), ".bytecode");
    }

    function deploy(string memory contractName, bytes memory arguments) internal returns (address) {
        return create(bytes.concat(readCreationCode(contractName), arguments));
    }

    function deployVendor(string memory path, bytes memory arguments) internal returns (address) {
        return create(bytes.concat(readVendorCreationCode(path), arguments));
    }

    /// @dev Forwards the constructor's revert data to `vm.expectRevert`.
    function create(bytes memory creationCode) internal returns (address deployed) {
        assembly ("memory-safe") {
            deployed := create(0, add(creationCode, 32), mload(creationCode))
            if iszero(deployed) {
                let pointer := mload(0x40)
                returndatacopy(pointer, 0, returndatasize())
                revert(pointer, returndatasize())
            }
        }
    }

    function _bytecode(string memory path, string memory key) private view returns (bytes memory) {
        return vm.parseJsonBytes(vm.readFile(path), key);
    }
}
